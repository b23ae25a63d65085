import { render, screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { withProviders } from '../../lib/testing.tsx';
import { ResidualRisks } from './residual-risks.tsx';

it.each([
  ['Someone whose profile you report', /it was you, if you're the only one/u],
  ['Someone whose vent you report', /someone reported it.*not who it was/iu],
  ['A moderator who took something of yours down', /by the same person.*not who you are/iu],
])('ResidualRisks names what moderation lets people find out: %s', (who, what) => {
  render(withProviders(<ResidualRisks />));
  const row = screen.getByRole('rowheader', { name: who }).closest('tr') as HTMLElement;
  expect(within(row).getByText(what)).toBeTruthy();
});
