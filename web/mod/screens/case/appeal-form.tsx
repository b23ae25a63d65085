import {
  resolutions,
  resolveAppeal,
  type CaseView,
  type Resolution,
} from '@unsaid/contract/moderation/console';
import { useRef, useState } from 'react';
import { call } from '../../api.ts';
import { appealSentence } from '../../lib/notice-sentences.ts';
import { useShortcuts } from '../../lib/shortcuts.ts';
import { resolutionWords } from '../../lib/words.ts';
import { withProof } from '../../passkeys.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Choices } from '../../ui/choices.tsx';
import ui from '../../ui/ui.module.css';
import { useAction } from './use-action.ts';
import styles from './case.module.css';

interface AppealFormProps {
  readonly view: CaseView;
  /** Kept outside: it outlives the lease. */
  readonly resolution: Resolution | null;
  readonly onChange: (resolution: Resolution) => void;
  readonly onDone: (sentence: string) => void;
}

/** The second look, by somebody who did not decide the case. */
export function AppealForm({ view, resolution, onChange, onDone }: AppealFormProps) {
  const [isMissing, setIsMissing] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const resolve = useAction(
    view.id,
    () => {
      if (!resolution) throw new Error('Nothing was chosen.');
      const request = { params: { id: view.id }, body: { version: view.version, resolution } };
      return withProof(() => call(resolveAppeal, request));
    },
    () =>
      onDone(resolution === 'upheld' ? 'The decision stays. Thank you.' : 'Overturned. The item is back.'),
  );
  const focus = (value: Resolution) =>
    form.current?.querySelector<HTMLElement>(`input[value=${value}]`)?.focus();
  const choose = (value: Resolution) => () => {
    onChange(value);
    if (resolve.error) resolve.reset();
    setIsMissing(false);
    focus(value);
  };
  function confirm(): void {
    if (resolution) return resolve.start();
    setIsMissing(true);
    focus('upheld');
  }
  useShortcuts({ 1: choose('upheld'), 2: choose('overturned'), confirm });
  return (
    <form
      ref={form}
      className={`${ui.card} ${styles.form}`}
      aria-labelledby="second-look"
      onSubmit={(event) => {
        event.preventDefault();
        confirm();
      }}
    >
      <h2 id="second-look">Second look</h2>
      <p className={ui.hint}>Read the text and the appeal as if nobody had decided yet.</p>
      <Choices
        label="Your decision"
        isLabelHidden
        value={resolution}
        onChange={(value) => choose(value)()}
        choices={resolutions.map((value, index) => ({
          value,
          ...resolutionWords[value],
          shortcut: String(index + 1),
        }))}
      />
      {resolution && (
        <section className={styles.preview} aria-labelledby="preview">
          <h3 id="preview">The author will read</h3>
          <blockquote className={styles.notice}>
            <p>{appealSentence(resolution, view.outcome)}</p>
          </blockquote>
        </section>
      )}
      <div className={styles.confirm}>
        {(isMissing || resolve.failure) && (
          <Banner tone="alarm" isAlert>
            {resolve.failure ?? 'Choose one of the two first.'}
          </Banner>
        )}
        <Button isSubmit variant="primary" shortcut="Ctrl Enter" isBusy={resolve.isBusy}>
          {resolution ? `Confirm: ${resolutionWords[resolution].name.toLowerCase()}` : 'Confirm'}
        </Button>
      </div>
    </form>
  );
}
