import { decideCase, type CaseView } from '@unsaid/contract/moderation/console';
import { useRef, useState } from 'react';
import { call } from '../../api.ts';
import { useShortcuts } from '../../lib/shortcuts.ts';
import { kindWords, outcomeDone, outcomeWords, ruleWords } from '../../lib/words.ts';
import { withProof } from '../../passkeys.ts';
import { useMe } from '../../session.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Choices } from '../../ui/choices.tsx';
import { TextArea } from '../../ui/field.tsx';
import ui from '../../ui/ui.module.css';
import { checkDraft, rulesFor, takesAway, type Draft } from './draft.ts';
import { NoticePreviewBox } from './notice-preview-box.tsx';
import { RuleDialog } from './rule-dialog.tsx';
import { SanctionFields } from './sanction-fields.tsx';
import { useAction } from './use-action.ts';
import styles from './case.module.css';

const order = ['keep', 'care', 'hide', 'remove'] as const;

interface DecisionFormProps {
  readonly view: CaseView;
  /** Kept outside: it outlives the lease. */
  readonly draft: Draft;
  readonly onChange: (part: Partial<Draft>) => void;
  readonly onDone: (sentence: string) => void;
}

export function DecisionForm({ view, draft, onChange, onDone }: DecisionFormProps) {
  const { role } = useMe();
  const [isRuleOpen, setIsRuleOpen] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const checked = checkDraft(draft, role);

  const decide = useAction(
    view.id,
    () => {
      if (!checked.body) throw new Error('The decision is not complete.');
      const note = draft.note.trim();
      const body = { ...checked.body, version: view.version, ...(note && { note }) };
      return withProof(() => call(decideCase, { params: { id: view.id }, body }));
    },
    () => {
      if (draft.outcome) onDone(`${kindWords[view.kind]} ${outcomeDone[draft.outcome]}. Thank you.`);
    },
  );

  function change(part: Partial<Draft>): void {
    onChange(part);
    setProblem(null);
    if (decide.error) decide.reset();
  }

  function confirm(): void {
    if (checked.body) return decide.start();
    setProblem(checked.missing.words);
    form.current
      ?.querySelector(`[data-field=${checked.missing.field}]`)
      ?.querySelector<HTMLElement>('input:not(:disabled), button')
      ?.focus();
  }

  const choose = (outcome: (typeof order)[number]) => () => {
    change({ outcome });
    form.current?.querySelector<HTMLElement>(`input[value=${outcome}]`)?.focus();
  };
  useShortcuts({
    1: choose('keep'),
    2: choose('care'),
    3: choose('hide'),
    4: choose('remove'),
    ...(takesAway(draft) && { p: () => setIsRuleOpen(true) }),
    confirm,
  });

  return (
    <>
      <form
        ref={form}
        className={`${ui.card} ${styles.form}`}
        aria-labelledby="decide"
        onSubmit={(event) => {
          event.preventDefault();
          confirm();
        }}
      >
        <h2 id="decide">Decide</h2>
        <div data-field="outcome">
          <Choices
            label="What happens to it"
            isLabelHidden
            value={draft.outcome}
            onChange={(outcome) => change({ outcome })}
            choices={order.map((value, index) => ({
              value,
              ...outcomeWords[value],
              shortcut: String(index + 1),
            }))}
          />
        </div>
        {takesAway(draft) && (
          <>
            <div data-field="rule" className={styles.rule}>
              <div>
                <p className={ui.label}>Rule</p>
                <p>{draft.rule ? ruleWords[draft.rule].name : 'None chosen yet'}</p>
                {draft.rule && <p className={ui.hint}>{ruleWords[draft.rule].meaning}</p>}
              </div>
              <Button shortcut="P" onClick={() => setIsRuleOpen(true)}>
                {draft.rule ? 'Change the rule' : 'Choose a rule'}
              </Button>
            </div>
            <SanctionFields view={view} role={role} draft={draft} onChange={change} />
          </>
        )}
        <TextArea
          label="Note (optional)"
          hint="For colleagues. The author never sees it."
          maxLength={1000}
          value={draft.note}
          onChange={(event) => change({ note: event.target.value })}
        />
        <NoticePreviewBox view={view} checked={checked} />
        <div className={styles.confirm}>
          {(problem ?? decide.failure) && (
            <Banner tone="alarm" isAlert>
              {problem ?? decide.failure}
            </Banner>
          )}
          <Button
            isSubmit
            variant={takesAway(draft) ? 'danger' : 'primary'}
            shortcut="Ctrl Enter"
            isBusy={decide.isBusy}
          >
            {draft.outcome ? `Confirm: ${outcomeWords[draft.outcome].name.toLowerCase()}` : 'Confirm'}
          </Button>
        </div>
      </form>
      {isRuleOpen && (
        <RuleDialog
          rules={rulesFor(view)}
          value={draft.rule}
          onClose={() => setIsRuleOpen(false)}
          onChoose={(rule) => {
            change({ rule });
            setIsRuleOpen(false);
          }}
        />
      )}
    </>
  );
}
