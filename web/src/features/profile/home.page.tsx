import type { SelfUser } from '@unsaid/contract';
import { useLingui } from '@lingui/react/macro';
import { Suspense, useState, type ComponentType, type ReactNode } from 'react';
import { useCurrentUser } from '../../lib/current-user.ts';
import { PageHeading } from '../../ui/page-heading.tsx';
import { ProfileCard } from './profile-card.tsx';
import { Welcome } from './welcome.tsx';
import { endWelcome, hasWelcome } from './welcome-state.ts';
import styles from './home.module.css';

interface HomePageProps {
  /** Parts of other features, passed in by the router. */
  readonly inbox: ReactNode;
  readonly Vents: ComponentType<{ readonly hasWriteRow: boolean }>;
  readonly recovery: ReactNode;
  readonly closeComments: ReactNode;
}

export function HomePage(props: HomePageProps) {
  const { data: self } = useCurrentUser();
  return self ? <Home key={self._id} {...props} self={self} /> : null;
}

/** What came for the user first, the profile last. On wide screens the profile is beside the rest. */
function Home({ self, inbox, Vents, recovery, closeComments }: HomePageProps & { readonly self: SelfUser }) {
  const { t } = useLingui();
  const [isNew, setIsNew] = useState(() => hasWelcome(self._id));
  return (
    <div className={styles.page}>
      {/* The name in the profile card would come last on a phone, and so would the focus. */}
      <PageHeading className="visually-hidden">{t`Home`}</PageHeading>
      <div className={styles.column}>
        {isNew && (
          <Welcome
            onEnd={() => {
              endWelcome(self._id);
              setIsNew(false);
            }}
          />
        )}
        <Suspense fallback={<div className={styles.inbox} />}>{inbox}</Suspense>
        <Suspense>
          <Vents hasWriteRow={!isNew} />
        </Suspense>
        {recovery}
      </div>
      <ProfileCard self={self} closeComments={closeComments} />
    </div>
  );
}
