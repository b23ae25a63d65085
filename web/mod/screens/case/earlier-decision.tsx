import type { CaseView } from '@unsaid/contract/moderation/console';
import { exactTime } from '../../lib/time-words.ts';
import { outcomeDone, ruleWords, sanctionWords } from '../../lib/words.ts';
import ui from '../../ui/ui.module.css';
import { Fact } from './brief.tsx';
import styles from './case.module.css';

/** What was decided, for an appeal or a look back. Not by whom. */
export function EarlierDecision({ view }: { readonly view: CaseView }) {
  if (!view.outcome) return null;
  return (
    <section className={ui.card} aria-labelledby="decision">
      <h2 id="decision">{view.state === 'appealed' ? 'First decision' : 'Decision'}</h2>
      <dl className={styles.facts}>
        <Fact name="Outcome">The item was {outcomeDone[view.outcome]}</Fact>
        {(view.outcome === 'hide' || view.outcome === 'remove') && (
          <>
            <Fact name="Rule">{ruleWords[view.policy].name}</Fact>
            <Fact name="Sanction">{sanctionWords[view.sanction].name}</Fact>
          </>
        )}
        {view.decidedAt && <Fact name="Decided">{exactTime(view.decidedAt)}</Fact>}
        {view.state === 'decided' && view.appealUntil && (
          <Fact name="Can be appealed">until {exactTime(view.appealUntil)}</Fact>
        )}
        {view.resolution && (
          <Fact name="Second look">
            {view.resolution === 'upheld' ? 'Upheld: it stays as decided' : 'Overturned: the item is back'}
          </Fact>
        )}
        {view.isDecidedByMe && <Fact name="Decided by">You</Fact>}
      </dl>
    </section>
  );
}
