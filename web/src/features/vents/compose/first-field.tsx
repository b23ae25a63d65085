import { isBlank, limits } from '@unsaid/contract';
import { useLingui } from '@lingui/react/macro';
import { useLayoutEffect, useState, type RefObject } from 'react';
import { TextArea } from '../../../ui/field.tsx';
import { peekDraft } from './stored-draft.ts';
import { TodaysQuestion } from './todays-question.tsx';
import styles from './composer.module.css';

/** What was typed before the form was there. */
export interface FirstWords {
  readonly text?: string;
  readonly title?: string;
}

export interface Caret {
  readonly start: number;
  readonly end: number;
}

interface FirstFieldProps {
  readonly accountId: string;
  readonly textRef: RefObject<HTMLTextAreaElement | null>;
  readonly words: FirstWords;
  readonly onWords: (words: FirstWords) => void;
  /** While a word is being composed, the field must not be replaced. */
  readonly onComposing: (isComposing: boolean) => void;
  /** As it is replaced by the form: where the caret was, if it was here. */
  readonly onLeave: (caret: Caret | null) => void;
}

/** The beginning of the form, in its place and of its size, until the form is loaded: a tap is answered at once. */
export function FirstField({ accountId, textRef, words, onWords, onComposing, onLeave }: FirstFieldProps) {
  const { t } = useLingui();
  const [stored] = useState(() => peekDraft(accountId));
  useLayoutEffect(() => {
    const field = textRef.current;
    return () => {
      const isHere = field !== null && document.activeElement === field;
      onLeave(isHere ? { start: field.selectionStart, end: field.selectionEnd } : null);
    };
  }, [textRef, onLeave]);
  return (
    <form data-kept className={styles.form} onSubmit={(event) => event.preventDefault()}>
      <TodaysQuestion
        isUsable={isBlank(words.title ?? stored.title)}
        onUse={(title) => {
          onWords({ ...words, title });
          textRef.current?.focus();
        }}
      />
      <TextArea
        ref={textRef}
        label={t`Text`}
        placeholder={t`Say it here. No name attached.`}
        value={words.text ?? stored.text}
        max={limits.ventText}
        aria-required
        autoComplete="off"
        onCompositionStart={() => onComposing(true)}
        onCompositionEnd={() => onComposing(false)}
        onChange={(event) => onWords({ ...words, text: event.target.value })}
      />
    </form>
  );
}
