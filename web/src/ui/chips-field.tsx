import { limits } from '@unsaid/contract';
import { useLingui } from '@lingui/react/macro';
import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { addChips, chipProblemText, type ChipProblem, type ChipRules } from './chips.ts';
import { cx } from './class-names.ts';
import { describedBy, FieldFrame } from './field.tsx';
import { Icon } from './icon.tsx';
import { UserText } from './user-text.tsx';
import close from '@material-symbols/svg-400/rounded/close.svg?path';
import fieldStyles from './field.module.css';
import styles from './chips-field.module.css';

const profileRules: ChipRules = { items: limits.profileListItems, length: limits.profileListItem };

interface ChipsFieldProps {
  readonly label: string;
  readonly chips: readonly string[];
  /** `left` is the text still in the input, of which no chip could be made. */
  readonly onChange: (chips: string[], left: string) => void;
  /** Initial text of the input, for callers that store it through `onType`. */
  readonly initialText?: string;
  /** Called when only the text of the input changed. */
  readonly onType?: (text: string) => void;
  readonly placeholder?: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly rules?: ChipRules;
  /** Shown before each chip, but not part of its value. */
  readonly sign?: string;
}

/**
 * Delays work on blur until after a mouse press. The work can change the layout, and the button being pressed
 * must not move away. It runs in the capture phase of the click, before its handlers, or after a press that
 * did not click.
 */
function useAfterPress(): (work: () => void) => void {
  const isPressed = useRef(false);
  useEffect(() => {
    const note = ({ type }: Event) => {
      isPressed.current = type === 'mousedown';
    };
    addEventListener('mousedown', note, true);
    addEventListener('mouseup', note, true);
    return () => {
      removeEventListener('mousedown', note, true);
      removeEventListener('mouseup', note, true);
    };
  }, []);
  return (work) => {
    if (!isPressed.current) {
      work();
      return;
    }
    const waits = new AbortController();
    const run = () => {
      if (waits.signal.aborted) return;
      waits.abort();
      flushSync(work);
    };
    const { signal } = waits;
    addEventListener('click', run, { capture: true, signal });
    // A click follows mouseup immediately.
    addEventListener('mouseup', () => setTimeout(run), { signal });
  };
}

/** A list typed as text: a comma or Enter turns the text before it into a chip. */
export function ChipsField({
  label,
  chips,
  onChange,
  initialText = '',
  onType,
  placeholder,
  hint,
  error,
  rules = profileRules,
  sign = '',
}: ChipsFieldProps) {
  const { t } = useLingui();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const afterPress = useAfterPress();
  const [text, setText] = useState(initialText);
  const [problem, setProblem] = useState<ChipProblem>();

  const commit = (typed: string, keepTail: boolean) => {
    // While typing, the text after the last comma is unfinished.
    const cut = keepTail ? typed.lastIndexOf(',') : typed.length;
    const added = addChips(chips, typed.slice(0, cut), rules);
    setProblem(added.problem);
    const left = added.left + (keepTail ? typed.slice(cut + 1).trimStart() : '');
    setText(left);
    if (added.chips.length !== chips.length) onChange([...added.chips], left);
    else if (left !== text) onType?.(left);
  };

  const remove = (chip: string) => {
    onChange(
      chips.filter((one) => one !== chip),
      text,
    );
    setProblem(undefined);
    input.current?.focus();
  };

  const trouble = problem ? chipProblemText(problem, rules) : error;

  return (
    <FieldFrame
      id={id}
      label={label}
      hint={hint}
      error={trouble}
      count={{ used: chips.length, max: rules.items }}
    >
      {/* A press anywhere in the box focuses the input. Keyboard users reach the input directly. */}
      <div
        className={cx(fieldStyles.input, styles.box)}
        onPointerDown={(event) => {
          if (event.target !== event.currentTarget) return;
          event.preventDefault();
          input.current?.focus();
        }}
      >
        {chips.length > 0 && (
          <ul role="list" className={styles.chips} aria-label={label}>
            {chips.map((chip) => (
              <li key={chip} className={styles.chip}>
                <UserText>{`${sign}${chip}`}</UserText>
                <button type="button" aria-label={t`Remove ${chip}`} onClick={() => remove(chip)}>
                  <Icon path={close} size={18} />
                </button>
              </li>
            ))}
          </ul>
        )}
        <input
          ref={input}
          id={id}
          className={styles.input}
          dir="auto"
          value={text}
          placeholder={chips.length === 0 ? placeholder : undefined}
          autoComplete="off"
          enterKeyHint="done"
          aria-invalid={trouble ? true : undefined}
          aria-describedby={describedBy({ id, hint, error: trouble })}
          onChange={(event) => {
            const typed = event.target.value;
            if (typed.includes(',')) return commit(typed, true);
            setText(typed);
            onType?.(typed);
          }}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing) return;
            if (event.key === 'Enter') {
              event.preventDefault();
              commit(text, false);
            } else if (event.key === 'Backspace' && text === '') {
              const last = chips.at(-1);
              if (last !== undefined) remove(last);
            }
          }}
          onBlur={() => text !== '' && afterPress(() => commit(text, false))}
        />
      </div>
    </FieldFrame>
  );
}
