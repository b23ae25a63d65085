import { fireEvent, render, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { keySetting } from './key-setting.ts';
import { shortcutOf, useShortcuts } from './shortcuts.ts';

afterEach(() => keySetting.set(true));

const press = (init: KeyboardEventInit, target: HTMLElement = document.body) => {
  let seen: string | null = null;
  const listen = (event: KeyboardEvent) => (seen = shortcutOf(event, keySetting.get()));
  document.addEventListener('keydown', listen);
  fireEvent.keyDown(target, init);
  document.removeEventListener('keydown', listen);
  return seen;
};

function Page({ pressed, hasDialog = false }: { pressed: string[]; hasDialog?: boolean }) {
  useShortcuts({
    n: () => pressed.push('n'),
    1: () => pressed.push('1'),
    confirm: () => pressed.push('confirm'),
  });
  return (
    <>
      <input type="text" aria-label="text" />
      <input type="number" aria-label="number" />
      <textarea aria-label="area" />
      <select aria-label="select" />
      <input type="radio" aria-label="radio" />
      <button type="button">button</button>
      {hasDialog && <dialog open aria-label="dialog" />}
    </>
  );
}

describe('shortcuts', () => {
  it('single keys work in either case, and not with a modifier', () => {
    expect(press({ key: 'n' })).toBe('n');
    expect(press({ key: 'N', shiftKey: true })).toBe('n');
    expect(press({ key: '?', shiftKey: true })).toBe('?');
    for (const modifier of ['ctrlKey', 'metaKey', 'altKey'])
      expect(press({ key: 'n', [modifier]: true })).toBeNull();
    expect(press({ key: 'x' })).toBeNull();
    expect(press({ key: '5' })).toBeNull();
    expect(press({ key: 'n', repeat: true })).toBeNull();
    expect(press({ key: 'n', isComposing: true })).toBeNull();
  });

  it('confirming takes Ctrl or Cmd: Enter alone does not confirm', () => {
    expect(press({ key: 'Enter', ctrlKey: true })).toBe('confirm');
    expect(press({ key: 'Enter', metaKey: true })).toBe('confirm');
    expect(press({ key: 'Enter' })).toBeNull();
  });

  it('nothing fires while typing in a field, but confirming does', () => {
    const pressed: string[] = [];
    render(<Page pressed={pressed} />);
    for (const field of ['text', 'number', 'area', 'select'])
      fireEvent.keyDown(screen.getByLabelText(field), { key: '1' });
    expect(pressed).toEqual([]);
    fireEvent.keyDown(screen.getByLabelText('radio'), { key: '1' });
    fireEvent.keyDown(screen.getByRole('button'), { key: 'n' });
    fireEvent.keyDown(screen.getByLabelText('area'), { key: 'Enter', ctrlKey: true });
    expect(pressed).toEqual(['1', 'n', 'confirm']);
  });

  it('switched off, only confirming is left (WCAG 2.1.4)', () => {
    const pressed: string[] = [];
    render(<Page pressed={pressed} />);
    keySetting.set(false);
    fireEvent.keyDown(document.body, { key: 'n' });
    fireEvent.keyDown(document.body, { key: 'Enter', ctrlKey: true });
    expect(pressed).toEqual(['confirm']);
    expect(window.localStorage.getItem('unsaid.mod.keys')).toBe('off');
  });

  it('an open dialog keeps keys from the page behind it', () => {
    const pressed: string[] = [];
    render(<Page pressed={pressed} hasDialog />);
    fireEvent.keyDown(document.body, { key: 'n' });
    fireEvent.keyDown(document.body, { key: 'Enter', ctrlKey: true });
    expect(pressed).toEqual([]);
  });
});
