import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { Status } from './status.tsx';

test('a live region is in the page a frame before its words, which are read out only then', async () => {
  render(<Status>Two vents with these words.</Status>);
  expect(screen.getByRole('status')).toBeTruthy();
  const words = screen.getByText('Two vents with these words.');
  expect(words.style.visibility).toBe('hidden');
  await expect.poll(() => words.style.visibility).toBe('');
});
