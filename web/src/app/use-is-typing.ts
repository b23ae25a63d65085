import { useEffect, useState } from 'react';

const textFields =
  'textarea, input:not([type=radio], [type=checkbox], [type=button], [type=submit], [type=file], [type=range])';

/**
 * After a text field has lost focus: time for the click that took it. A touch sends its click only after the
 * focus has moved.
 */
const clickDelayMs = 300;

/**
 * Whether a text field has focus, so that an on-screen keyboard is probably open. Stays true while focus moves
 * from field to field, and until a press that ends it is over: what is under the finger must not change
 * between `pointerdown` and `click`.
 */
export function useIsTyping(): boolean {
  const [isTyping, setIsTyping] = useState(false);
  useEffect(() => {
    let timer = 0;
    let isPressed = false;
    const isInField = () => document.activeElement?.matches(textFields) ?? false;
    const check = () => {
      clearTimeout(timer);
      if (isInField()) setIsTyping(true);
      else if (!isPressed) timer = window.setTimeout(() => setIsTyping(false), clickDelayMs);
    };
    const press = () => {
      isPressed = true;
      clearTimeout(timer);
    };
    const release = () => {
      isPressed = false;
      check();
    };
    // In `focusout`, the next element does not have focus yet.
    const leave = () => queueMicrotask(check);
    const listeners = {
      focusin: check,
      focusout: leave,
      pointerdown: press,
      pointerup: release,
      pointercancel: release,
    };
    for (const [event, listener] of Object.entries(listeners))
      document.addEventListener(event, listener, true);
    check();
    return () => {
      clearTimeout(timer);
      for (const [event, listener] of Object.entries(listeners))
        document.removeEventListener(event, listener, true);
    };
  }, []);
  return isTyping;
}
