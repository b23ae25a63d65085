import { I18nProvider } from '@lingui/react';
import { i18n } from '@lingui/core';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test, vi } from 'vitest';
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

test('a comma or Enter makes a chip, without submitting the form', async () => {
  const onSubmit = vi.fn();
  render(<Harness onSubmit={onSubmit} />);
  await userEvent.type(box(), 'rain, old songs,cha{Enter}');
  expect(kept()).toEqual(['rain', 'old songs', 'cha']);
  expect(box()).toHaveProperty('value', '');
  expect(onSubmit).not.toHaveBeenCalled();
});

test('a pasted list becomes chips, without duplicates and empties', async () => {
  render(<Harness />);
  await userEvent.click(box());
  await userEvent.paste('rain, Rain, , cha,');
  expect(kept()).toEqual(['rain', 'cha']);
});

test('blur commits the text typed last', async () => {
  render(<Harness />);
  await userEvent.type(box(), 'rain');
  await userEvent.tab();
  expect(kept()).toEqual(['rain']);
});

test('the field reports its open text, and starts with the stored one', async () => {
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

test('a button and Backspace remove chips', async () => {
  render(<Harness />);
  await userEvent.type(box(), 'rain,cha,');
  await userEvent.click(screen.getByRole('button', { name: 'Remove rain' }));
  expect(kept()).toEqual(['cha']);
  await userEvent.keyboard('{Backspace}');
  expect(kept()).toEqual([]);
});

test('text that is too long stays in the input, with the reason', async () => {
  render(<Harness />);
  await userEvent.click(box());
  await userEvent.paste(`${'x'.repeat(41)},`);
  expect(kept()).toEqual([]);
  expect(screen.getByRole('alert').textContent).toContain('40 characters');
  expect(box()).toHaveProperty('value', 'x'.repeat(41));
});
