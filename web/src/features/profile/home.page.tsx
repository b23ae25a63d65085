import type { SelfUser } from '@unsaid/contract';
import { useLingui } from '@lingui/react/macro';
import { Suspense, useEffect, useState, type ComponentType, type ReactNode } from 'react';
import { useLocation, useNavigationType } from 'react-router';
import { useCurrentUser } from '../../lib/current-user.ts';
import { profileHash } from '../../lib/paths.ts';
import { PageHeading } from '../../ui/page-heading.tsx';
import { Loading } from '../../ui/skeleton.tsx';
import { ProfileCard } from './profile-card.tsx';
import { Welcome } from './welcome.tsx';
import { endWelcome, hasWelcome } from './welcome-state.ts';
import styles from './home.module.css';

interface HomePageProps {
  /** Parts of other features, passed in by the router. */
  readonly inbox: ReactNode;
  readonly Vents: ComponentType<{ readonly hasWriteRow: boolean; readonly afterFirst: ReactNode }>;
  readonly recovery: ReactNode;
  readonly closeComments: ReactNode;
}

export function HomePage(props: HomePageProps) {
  const { data: self } = useCurrentUser();
  return self ? <Home key={self._id} {...props} self={self} /> : null;
}

/** What came for the user first, the profile last, unless a link asked for it. On wide screens it is beside the rest. */
function Home({ self, inbox, Vents, recovery, closeComments }: HomePageProps & { readonly self: SelfUser }) {
  const { t } = useLingui();
  const [isNew, setIsNew] = useState(() => hasWelcome(self._id));
  const { hash, key } = useLocation();
  const isProfileFirst = hash === profileHash;
  const isBack = useNavigationType() === 'POP';
  // From elsewhere on this page: it is the same page to the router.
  const meantBy = isProfileFirst && !isBack ? key : null;
  useEffect(() => {
    if (meantBy !== null) window.scrollTo(0, 0);
  }, [meantBy]);
  const profile = <ProfileCard key="profile" self={self} closeComments={closeComments} />;
  return (
    <div className={styles.page}>
      {/* The name in the profile card would come last on a phone, and so would the focus. */}
      <PageHeading className="visually-hidden">{t`Home`}</PageHeading>
      {isProfileFirst && profile}
      <div key="column" className={styles.column}>
        {isNew && (
          <Welcome
            onEnd={() => {
              endWelcome(self._id);
              setIsNew(false);
            }}
          />
        )}
        <Suspense fallback={<Loading className={styles.inbox}>{null}</Loading>}>{inbox}</Suspense>
        <Suspense fallback={<Loading className={styles.vents}>{null}</Loading>}>
          {/* Who has nothing here yet has nothing to lose. */}
          <Vents hasWriteRow={!isNew} afterFirst={recovery} />
        </Suspense>
      </div>
      {!isProfileFirst && profile}
    </div>
  );
}
