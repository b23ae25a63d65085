import type { Emotion } from '@unsaid/contract';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test, vi } from 'vitest';
import { withProviders } from '../lib/testing.tsx';
import { FeelingsPicker } from './feelings-picker.tsx';

function renderPicker(initial: readonly Emotion[] = []) {
  const onChange = vi.fn<(feelings: Emotion[]) => void>();
  function Held() {
    const [value, setValue] = useState(initial);
    return (
      <FeelingsPicker
        value={value}
        hint="Up to three."
        onChange={(feelings) => {
          onChange(feelings);
          setValue(feelings);
        }}
      />
    );
  }
  render(withProviders(<Held />));
  return onChange;
}

const chip = (name: string) => screen.getByRole('button', { name });
const pressed = () => screen.getAllByRole('button', { pressed: true }).map((button) => button.textContent);

test('the picker is a labelled group of six toggle buttons', () => {
  renderPicker();
  const group = screen.getByRole('group', { name: 'How have you been feeling lately?' });
  expect(group.querySelectorAll('[aria-pressed="false"]')).toHaveLength(6);
  expect(document.getElementById(group.getAttribute('aria-describedby') ?? '')?.textContent).toBe(
    'Up to three.',
  );
});

test('the picker reports feelings in the order of the list, and removes them again', async () => {
  const onChange = renderPicker();
  await userEvent.click(chip('Burnout'));
  await userEvent.click(chip('Sad'));
  expect(onChange).toHaveBeenLastCalledWith(['Sad', 'Burnout']);
  await userEvent.click(chip('Burnout'));
  expect(onChange).toHaveBeenLastCalledWith(['Sad']);
  expect(pressed()).toEqual(['Sad']);
});

test('the picker marks a selection by more than colour', () => {
  renderPicker(['Sad']);
  expect(chip('Sad').querySelectorAll('svg')).toHaveLength(2);
  expect(chip('Happy').querySelectorAll('svg')).toHaveLength(1);
});

test('the picker prevents a fourth selection with a hint, which goes after a removal', async () => {
  const onChange = renderPicker(['Sad', 'Anxious', 'Burnout']);
  const user = userEvent.setup();
  chip('Happy').focus();
  await user.keyboard(' ');
  expect(onChange).not.toHaveBeenCalled();
  expect(screen.getByRole('status').textContent).toBe("That's three already. Tap one to take it back.");
  expect(chip('Happy').getAttribute('aria-disabled')).toBe('true');
  await user.click(chip('Sad'));
  expect(screen.getByRole('status').textContent).toBe('');
  await user.click(chip('Happy'));
  expect(pressed()).toEqual(['Happy', 'Anxious', 'Burnout']);
});
