import { useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useRef, useState, type ComponentProps } from 'react';
import { useSearchParams } from 'react-router';
import { useCurrentUser } from '../../lib/current-user.ts';
import { lazyPart } from '../../lib/lazy-part.tsx';
import { paths } from '../../lib/paths.ts';
import { PageHeading } from '../../ui/page-heading.tsx';
import { History } from './history.tsx';
import type { OnPerson } from './match-card.tsx';
import { pendingQuery } from './matches.api.ts';
import { Pending } from './pending.tsx';
import { Suggestions } from './suggestions.tsx';
import { Tabs } from './tabs.tsx';
import { AnswerQueueProvider, useNewAnswerQueue } from './use-answers.ts';
import styles from './matches.module.css';

const profileDialog = lazyPart(() => import('./user-profile-dialog.tsx'));
const UserProfileDialog = profileDialog.as('UserProfileDialog');

const tabKeys = ['suggestions', 'pending', 'history'] as const;

export function MatchesPage() {
  const { t } = useLingui();
  const { data: self } = useCurrentUser();
  const [params] = useSearchParams();
  const page = useRef<HTMLDivElement>(null);
  const current = tabKeys.find((key) => key === params.get('tab')) ?? 'suggestions';
  const queue = useNewAnswerQueue();
  const { onPerson, dialog } = useProfileDialog();
  // Fetched together with the suggestions, because every reply changes both.
  useQuery(pendingQuery);
  if (!self) return null;

  return (
    <AnswerQueueProvider value={queue}>
      <div ref={page} className={styles.page}>
        <PageHeading>{t`Matches`}</PageHeading>
        <Tabs
          label={t`Matches`}
          current={current}
          tabs={[
            { key: 'suggestions', label: t`Suggestions`, to: paths.matches },
            { key: 'pending', label: t`Pending`, to: `${paths.matches}?tab=pending` },
            { key: 'history', label: t`History`, to: `${paths.matches}?tab=history` },
          ]}
        >
          {current === 'suggestions' ? (
            <Suggestions
              self={self}
              onPerson={onPerson}
              onEmptied={() => page.current?.querySelector('h1')?.focus()}
            />
          ) : current === 'pending' ? (
            <Pending selfId={self._id} onPerson={onPerson} />
          ) : (
            <History selfId={self._id} onPerson={onPerson} />
          )}
        </Tabs>
        {dialog}
      </div>
    </AnswerQueueProvider>
  );
}

function useProfileDialog() {
  const [shown, setShown] =
    useState<Pick<ComponentProps<typeof UserProfileDialog>, 'person' | 'match' | 'said'>>();
  const [isOpen, setIsOpen] = useState(false);

  const onPerson: OnPerson = (person, match, said) =>
    profileDialog.show(() => {
      setShown({ person, match, said });
      setIsOpen(true);
    });
  const dialog = shown && (
    <Suspense>
      <UserProfileDialog {...shown} isOpen={isOpen} onClose={() => setIsOpen(false)} />
    </Suspense>
  );
  return { onPerson, dialog };
}
