import { useEffect, useEffectEvent } from 'react';
import { keySetting } from './key-setting.ts';

/** `confirm` is Ctrl+Enter, or Cmd+Enter on a Mac. The others are single characters. */
type ShortcutKey = 'n' | 'r' | '1' | '2' | '3' | '4' | 'p' | 's' | 'e' | '?' | 'confirm';
export type Shortcuts = Partial<Readonly<Record<ShortcutKey, () => void>>>;

const typelessInputs = new Set(['checkbox', 'radio', 'button', 'submit', 'reset', 'range', 'file']);

/** Letters belong to the field: single keys must not fire there. */
function isTypedInto(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !typelessInputs.has(target.type);
  return (
    target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable
  );
}

/** Which shortcut a key press means, or null. `areOn`: single keys are switched on (WCAG 2.1.4). */
export function shortcutOf(event: KeyboardEvent, areOn: boolean): ShortcutKey | null {
  if (event.defaultPrevented || event.repeat || event.isComposing || event.altKey) return null;
  const isModified = event.ctrlKey || event.metaKey;
  if (event.key === 'Enter') return isModified ? 'confirm' : null;
  if (isModified || !areOn || isTypedInto(event.target)) return null;
  const key = event.key.toLowerCase();
  return /^[nr1-4pse?]$/u.test(key) ? (key as ShortcutKey) : null;
}

/** An open dialog takes all keys that are not its own. */
const isBehindDialog = (isInDialog: boolean) =>
  !isInDialog && document.querySelector('dialog[open]') !== null;

/** Handles keys while the component is shown. */
export function useShortcuts(shortcuts: Shortcuts, { isInDialog = false } = {}): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const key = shortcutOf(event, keySetting.get());
    const act = key && shortcuts[key];
    if (!act || isBehindDialog(isInDialog)) return;
    event.preventDefault();
    act();
  });
  useEffect(() => {
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}
