import type { CaseView, Resolution } from '@unsaid/contract/moderation/console';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation, useParams } from 'react-router';
import { caseQuery, useCaseCache, useNextCase } from '../../cases.api.ts';
import { announce } from '../../lib/announce.ts';
import { failureWords } from '../../lib/failure-words.ts';
import { useShortcuts } from '../../lib/shortcuts.ts';
import { kindWords, ruleWords } from '../../lib/words.ts';
import { useMe } from '../../session.ts';
import { Banner } from '../../ui/banner.tsx';
import { PageTitle } from '../../ui/page-title.tsx';
import { AppealForm } from './appeal-form.tsx';
import { Brief, Notes } from './brief.tsx';
import { DecisionForm } from './decision-form.tsx';
import { DonePanel } from './done-panel.tsx';
import { emptyDraft } from './draft.ts';
import { EarlierDecision } from './earlier-decision.tsx';
import { LeaseBar } from './lease-bar.tsx';
import { canReverse, ReverseDecision } from './reverse-decision.tsx';
import { TakeCase } from './take-case.tsx';
import { Texts } from './texts.tsx';
import { useLease } from './use-lease.ts';
import styles from './case.module.css';

export function CaseScreen() {
  const { id = '' } = useParams();
  const { key } = useLocation();
  const query = useQuery(caseQuery(id));
  if (query.isError)
    return (
      <>
        <PageTitle title={`Case ${id}`} />
        <Banner tone="alarm" isAlert action={<Link to="/">All cases</Link>}>
          {failureWords(query.error)}
        </Banner>
      </>
    );
  // A case that comes back is looked at anew: nothing revealed or chosen before is kept.
  return query.data ? <OneCase key={key} view={query.data} /> : null;
}

function OneCase({ view }: { readonly view: CaseView }) {
  const [isDone, setIsDone] = useState(false);
  const next = useNextCase();
  const cache = useCaseCache(view.id);
  const lease = useLease(view);
  const [hasHeld, setHasHeld] = useState(lease.isMine);
  if (lease.isMine && !hasHeld) setHasHeld(true);
  // Kept while the case is on the screen: whoever loses the lease and takes the case again goes on from there.
  const [draft, setDraft] = useState(() => emptyDraft(view));
  const [resolution, setResolution] = useState<Resolution | null>(null);
  const { role } = useMe();
  const isAtWork = lease.isMine && !isDone;
  const isReversible = canReverse(view, role) && !isDone;
  const isWaiting = view.state === 'open' || view.state === 'escalated' || view.state === 'appealed';

  function goOn(): void {
    if (isAtWork) announce('First decide, skip or hand over this case.');
    else if (!next.isPending) next.mutate();
  }
  useShortcuts({ n: goOn });

  function finish(sentence: string): void {
    announce(sentence);
    setIsDone(true);
    void cache.reload();
    void cache.reloadLists();
  }

  return (
    <>
      <p>
        <Link to="/">All cases</Link>
      </p>
      <PageTitle title={`${kindWords[view.kind]}, ${ruleWords[view.policy].name.toLowerCase()}`}>
        <span className={styles.number}>Case {view.id}</span>
      </PageTitle>
      {isAtWork && <LeaseBar view={view} lease={lease} onDone={finish} />}
      <div className={styles.columns}>
        <div className={styles.reading}>
          <Brief view={view} />
          {view.outcome && <EarlierDecision view={view} />}
          {view.note && <Notes note={view.note} />}
          {(isAtWork || isReversible) && <Texts view={view} />}
        </div>
        <div className={styles.deciding}>
          {isDone ? (
            <DonePanel isBusy={next.isPending} onNext={goOn} />
          ) : !isWaiting ? (
            <ReverseDecision
              view={view}
              isReversible={isReversible}
              wasHeld={hasHeld}
              onDone={finish}
              onNext={goOn}
            />
          ) : !lease.isMine ? (
            <TakeCase view={view} wasHeld={hasHeld} onNext={goOn} />
          ) : view.state === 'appealed' ? (
            <AppealForm view={view} resolution={resolution} onChange={setResolution} onDone={finish} />
          ) : (
            <DecisionForm
              view={view}
              draft={draft}
              onChange={(part) => setDraft((before) => ({ ...before, ...part }))}
              onDone={finish}
            />
          )}
        </div>
      </div>
    </>
  );
}
