import { useEffect, useRef, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { readHistoryState, toHistoryState } from '../../lib/history-state.ts';

/** The step that is shown, number or code, and how to change it. */
export interface Steps {
  readonly isCode: boolean;
  readonly toCode: () => void;
  readonly toPhone: () => void;
}

/** Steps in memory. In a dialog, Back closes the dialog. */
export function useDialogSteps(): Steps {
  const [isCode, setIsCode] = useState(false);
  return { isCode, toCode: () => setIsCode(true), toPhone: () => setIsCode(false) };
}

/**
 * Steps of a page: the code step is a history entry of its own, above that of the number. So Back leads to the
 * number, Forward to the code, and a reload stays where it was. Without a code that was sent, the entry shows
 * the number.
 */
export function usePageSteps(hasSentCode: boolean): Steps {
  const { pathname, search, state } = useLocation();
  const navigate = useNavigate();
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);

  const isCodeEntry = readHistoryState(state).step === 'code';
  const isStale = isCodeEntry && !hasSentCode;
  useEffect(() => {
    if (!isStale) return;
    const { step: _, ...others } = readHistoryState(state);
    void navigate({ pathname, search }, { replace: true, state: toHistoryState(others) });
  }, [isStale, navigate, pathname, search, state]);

  return {
    isCode: isCodeEntry && hasSentCode,
    toCode() {
      // The code may have been sent after the page was left.
      if (!isOpen.current || isCodeEntry) return;
      const next = toHistoryState({ ...readHistoryState(state), step: 'code' });
      void navigate({ pathname, search }, { state: next });
    },
    toPhone: () => void navigate(-1),
  };
}
