import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useId, useRef, type ReactNode, type Ref } from 'react';
import { paths } from '../../lib/paths.ts';
import type { Outcome } from './answer-queue.ts';
import { Answered, Answers, isHeld } from './answers.tsx';
import { MatchCard, Standing, type OnPerson } from './match-card.tsx';
import { MatchQuery, NoMatches } from './match-query.tsx';
import { toOpenMatch, type OpenMatch } from './match-view.ts';
import { pendingQuery } from './matches.api.ts';
import { useAnswers, useAnswerState } from './use-answers.ts';
import styles from './matches.module.css';

interface PendingProps {
  readonly selfId: string;
  readonly onPerson: OnPerson;
}

/** Matches that wait for a reply: received and sent. */
export function Pending({ selfId, onPerson }: PendingProps) {
  const { t } = useLingui();
  const query = useQuery(pendingQuery);
  const heading = useRef<HTMLHeadingElement>(null);
  const received = (query.data?.receivedMatches ?? []).map((match) => toOpenMatch(match, selfId));
  const sent = (query.data?.sentMatches ?? []).map((match) => toOpenMatch(match, selfId));
  const { shown, list } = useAnswers(received, () => heading.current?.focus());

  return (
    <MatchQuery query={query} failure={t`Your pending matches did not come.`}>
      {() => (
        <>
          <Section title={t`Received`} headingRef={heading}>
            {shown.length > 0 ? (
              <ul role="list" ref={list} className={styles.list}>
                {shown.map(({ match, outcome }) => (
                  <li key={match.id}>
                    <ReceivedCard match={match} outcome={outcome} onPerson={onPerson} />
                  </li>
                ))}
              </ul>
            ) : (
              <NoMatches
                title={<Trans>No pending received matches.</Trans>}
                to={paths.home}
                action={<Trans>Your profile</Trans>}
              >
                <Trans>A few words on your profile help others say yes.</Trans>
              </NoMatches>
            )}
          </Section>
          <Section title={t`Sent`}>
            {sent.length > 0 ? (
              <ul role="list" className={styles.list}>
                {sent.map((match) => (
                  <li key={match.id}>
                    <MatchCard
                      other={match.other}
                      onName={() => onPerson(match.other)}
                      heading={3}
                      about={<Standing status="pending" score={match.score} />}
                    />
                  </li>
                ))}
              </ul>
            ) : (
              <NoMatches
                title={<Trans>No pending sent matches.</Trans>}
                to={paths.matches}
                action={<Trans>See suggestions</Trans>}
              >
                <Trans>Whoever you say yes to waits here until they answer.</Trans>
              </NoMatches>
            )}
          </Section>
        </>
      )}
    </MatchQuery>
  );
}

interface ReceivedCardProps {
  readonly match: OpenMatch;
  readonly outcome: Outcome | undefined;
  readonly onPerson: OnPerson;
}

function ReceivedCard({ match, outcome, onPerson }: ReceivedCardProps) {
  const state = useAnswerState(match.id);
  return (
    <MatchCard
      other={match.other}
      onName={() => onPerson(match.other, isHeld(state) || outcome ? undefined : match)}
      heading={3}
      isInert={isHeld(state)}
      about={
        isHeld(state) ? (
          <Answered match={match} state={state} />
        ) : (
          <Standing status={outcome?.isMutual ? 'accepted' : 'pending'} score={match.score} />
        )
      }
    >
      <div className={styles.foot}>
        <Answers match={match} outcome={outcome} />
      </div>
    </MatchCard>
  );
}

interface SectionProps {
  readonly title: string;
  readonly headingRef?: Ref<HTMLHeadingElement>;
  readonly children: ReactNode;
}

function Section({ title, headingRef, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={styles.part}>
      <h2 id={id} ref={headingRef} tabIndex={-1}>
        {title}
      </h2>
      {children}
    </section>
  );
}
