import type { CaseView } from '@unsaid/contract/moderation/console';
import type { ReactNode } from 'react';
import { dueWords, localTime } from '../../lib/time-words.ts';
import { useNow } from '../../lib/use-now.ts';
import {
  counted,
  kindWords,
  languageWords,
  pointWords,
  reasonWords,
  ruleWords,
  sourceWords,
  stateWords,
} from '../../lib/words.ts';
import { SeverityTag } from '../../ui/severity-tag.tsx';
import { Tag } from '../../ui/tag.tsx';
import ui from '../../ui/ui.module.css';
import styles from './case.module.css';

/** What there is to know before reading. */
export function Brief({ view }: { readonly view: CaseView }) {
  const now = useNow(20_000);
  const due = dueWords(view, now);
  const isWaiting = view.state !== 'closed' && view.state !== 'decided';
  return (
    <section className={ui.card} aria-labelledby="brief">
      <h2 id="brief">Brief</h2>
      <dl className={styles.facts}>
        <Fact name="What">{kindWords[view.kind]}</Fact>
        {!view.outcome && (
          <Fact name="Filed under">
            {ruleWords[view.policy].name}
            <p className={ui.hint}>{ruleWords[view.policy].meaning}</p>
          </Fact>
        )}
        <Fact name="Severity">
          <SeverityTag severity={view.severity} />
        </Fact>
        {isWaiting && (
          <Fact name="Due">
            {due.isOverdue ? <Tag tone="alarm">{due.text}</Tag> : due.text}
            {view.state !== 'appealed' && <p className={ui.hint}>{localTime(view.dueAt)}</p>}
          </Fact>
        )}
        <Fact name={view.source === 'report' ? 'Reports' : 'Source'}>
          {view.source !== 'report' && <p className={styles.main}>{sourceWords[view.source]}</p>}
          {view.reporters > 0 && <p className={styles.main}>{counted(view.reporters, 'person', 'people')}</p>}
          {view.reasons.map(({ reason, count }) => (
            <p key={reason} className={ui.hint}>
              {reasonWords[reason]}: {count}
            </p>
          ))}
        </Fact>
        <Fact name="Language">{languageWords(view.language)}</Fact>
        {view.points && (
          <Fact name="Author">
            {view.isAuthorGone ? 'Their account is gone: nobody gets a notice' : pointWords[view.points]}
          </Fact>
        )}
        <Fact name="State">
          {stateWords[view.state]}
          {view.isPaused && (
            <p>
              <Tag tone="warn">Paused</Tag> Hidden for now because of the reports
            </p>
          )}
          {view.isFrozen && (
            <p>
              <Tag tone="warn">No pause</Tag> Reports can’t pause it: they look coordinated, a pause has
              ended, or it was just kept
            </p>
          )}
        </Fact>
      </dl>
    </section>
  );
}

/** What colleagues wrote: to a lead, for the next look, or the number of an order. */
export function Notes({ note }: { readonly note: string }) {
  return (
    <section className={ui.card} aria-labelledby="notes">
      <h2 id="notes">Notes of colleagues</h2>
      <p dir="auto" className={styles.note}>
        {note}
      </p>
    </section>
  );
}

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
