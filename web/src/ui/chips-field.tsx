import { limits } from '@unsaid/contract';
import { useLingui } from '@lingui/react/macro';
import { useId, useRef, useState, type ReactNode } from 'react';
import { addChips, type ChipProblem, type ChipRules } from './chips.ts';
import { cx } from './class-names.ts';
import { FieldFrame } from './field.tsx';
import { Icon } from './icon.tsx';
import { Words } from './words.tsx';
import close from '@material-symbols/svg-400/rounded/close.svg?path';
import fieldStyles from './field.module.css';
import styles from './chips-field.module.css';

const profileRules: ChipRules = { items: limits.profileListItems, length: limits.profileListItem };

interface ChipsFieldProps {
  readonly label: string;
  readonly chips: readonly string[];
  readonly onChange: (chips: string[]) => void;
  readonly placeholder?: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly rules?: ChipRules;
  /** Stands before each chip, and is not part of it. */
  readonly sign?: string;
}

/** A list typed as text: a comma or Enter makes a chip of what stands before it. */
export function ChipsField({
  label,
  chips,
  onChange,
  placeholder,
  hint,
  error,
  rules = profileRules,
  sign = '',
}: ChipsFieldProps) {
  const { t } = useLingui();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<ChipProblem>();

  const commit = (typed: string, keepTail: boolean) => {
    // While typing, what follows the last comma is still being written.
    const cut = keepTail ? typed.lastIndexOf(',') : typed.length;
    const added = addChips(chips, typed.slice(0, cut), rules);
    setProblem(added.problem);
    setText(added.left + (keepTail ? typed.slice(cut + 1).trimStart() : ''));
    if (added.chips.length !== chips.length) onChange([...added.chips]);
  };

  const remove = (chip: string) => {
    onChange(chips.filter((one) => one !== chip));
    setProblem(undefined);
    input.current?.focus();
  };

  const trouble =
    problem === 'too-long'
      ? t`Keep each one to ${rules.length} characters.`
      : problem === 'too-many'
        ? t`That is the most that fits here: ${rules.items}.`
        : problem === 'unacceptable'
          ? t`Only letters, digits, spaces, _ and - here.`
          : error;

  return (
    <FieldFrame
      label={label}
      htmlFor={id}
      hint={hint}
      hintId={`${id}-hint`}
      error={trouble}
      errorId={`${id}-error`}
      count={{ used: chips.length, max: rules.items }}
    >
      {/* Pressing anywhere in the box writes in it; the input itself is what a keyboard reaches. */}
      <div
        className={cx(fieldStyles.input, styles.box)}
        aria-invalid={trouble ? true : undefined}
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
                <Words>{`${sign}${chip}`}</Words>
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
          aria-describedby={trouble ? `${id}-error` : hint ? `${id}-hint` : undefined}
          onChange={(event) => {
            const typed = event.target.value;
            if (typed.includes(',')) commit(typed, true);
            else setText(typed);
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
          onBlur={() => text !== '' && commit(text, false)}
        />
      </div>
    </FieldFrame>
  );
}
