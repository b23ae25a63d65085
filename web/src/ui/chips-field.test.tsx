import { I18nProvider } from '@lingui/react';
import { i18n } from '@lingui/core';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import { ChipsField } from './chips-field.tsx';

function Harness({ onSubmit }: { onSubmit?: () => void }) {
  const [chips, setChips] = useState<string[]>([]);
  return (
    <I18nProvider i18n={i18n}>
      <form onSubmit={onSubmit}>
        <ChipsField label="Likes" chips={chips} onChange={setChips} />
        <output>{JSON.stringify(chips)}</output>
      </form>
    </I18nProvider>
  );
}

const kept = () => JSON.parse(screen.getByRole('status').textContent) as string[];
const box = () => screen.getByRole('textbox', { name: 'Likes' });

it('makes chips of what is typed before a comma or Enter, without submitting the form', async () => {
  const onSubmit = vi.fn();
  render(<Harness onSubmit={onSubmit} />);
  await userEvent.type(box(), 'rain, old songs,cha{Enter}');
  expect(kept()).toEqual(['rain', 'old songs', 'cha']);
  expect(box()).toHaveProperty('value', '');
  expect(onSubmit).not.toHaveBeenCalled();
});

it('takes a pasted list, folds repeats and drops empties', async () => {
  render(<Harness />);
  await userEvent.click(box());
  await userEvent.paste('rain, Rain, , cha,');
  expect(kept()).toEqual(['rain', 'cha']);
});

it('does not lose what was typed last when focus moves on', async () => {
  render(<Harness />);
  await userEvent.type(box(), 'rain');
  await userEvent.tab();
  expect(kept()).toEqual(['rain']);
});

it('tells what stands in the box, and begins with what was kept of it', async () => {
  const told: string[] = [];
  render(
    <I18nProvider i18n={i18n}>
      <ChipsField
        label="Likes"
        chips={[]}
        initialText="ra"
        onType={(text) => told.push(text)}
        onChange={(chips, left) => told.push(`${chips.join()}|${left}`)}
      />
    </I18nProvider>,
  );
  await userEvent.type(box(), 'in');
  await userEvent.paste(',cha');
  expect(told).toEqual(['rai', 'rain', 'rain|cha']);
});

it('removes by button and by backspace', async () => {
  render(<Harness />);
  await userEvent.type(box(), 'rain,cha,');
  await userEvent.click(screen.getByRole('button', { name: 'Remove rain' }));
  expect(kept()).toEqual(['cha']);
  await userEvent.keyboard('{Backspace}');
  expect(kept()).toEqual([]);
});

it('keeps what is too long in the box and says why', async () => {
  render(<Harness />);
  await userEvent.click(box());
  await userEvent.paste(`${'x'.repeat(41)},`);
  expect(kept()).toEqual([]);
  expect(screen.getByRole('alert').textContent).toContain('40 characters');
  expect(box()).toHaveProperty('value', 'x'.repeat(41));
});
