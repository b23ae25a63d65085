import { firstNoticeVersion, noticeVersion } from '@unsaid/contract';
import { Suspense, type ComponentType } from 'react';
import { useLocation, useRoutes, type RouteObject } from 'react-router';
import { lazyPart, type LazyPart } from '../lib/lazy-part.tsx';
import { paths } from '../lib/paths.ts';
import { PageSkeleton } from '../ui/skeleton.tsx';
import { GuestsOnly, SignedInOnly } from './guards.tsx';
import { destinationAfterSignIn } from './return-path.ts';
import { Shell } from './shell.tsx';

/** A page, at the route that its part declares. */
function page<M>(part: LazyPart<M>, name: keyof M): RouteObject {
  const Page = part.as(name) as ComponentType;
  return { path: part.route ?? '*', element: <Page /> };
}

// What pages show of other features. Only the router imports several.
const reauthForm = lazyPart(() => import('../features/auth/reauth-form.tsx'));
const ReauthForm = reauthForm.as('ReauthForm');
const NewNumberForm = reauthForm.as('NewNumberForm');
/** Below the vents. */
const RecoveryCard = lazyPart(() => import('../features/settings/recovery-card.tsx'), {
  catalogue: 'recovery',
  isLate: true,
}).as('RecoveryCard');
const FirstVisit = lazyPart(() => import('../features/settings/first-visit.tsx'), {
  catalogue: 'recovery',
}).as('FirstVisit');
const ProfileSetup = lazyPart(() => import('../features/profile/profile-setup.tsx')).as('ProfileSetup');
const HomeVents = lazyPart(() => import('../features/vents/feed/home-vents.tsx'), {
  route: paths.home,
}).as('HomeVents');
const CloseAllComments = lazyPart(() => import('../features/vents/comments/close-all-comments.tsx')).as(
  'CloseAllComments',
);
const HiddenAndMuted = lazyPart(() => import('../features/choices/hidden-and-muted.tsx'), {
  catalogue: 'choices',
}).as('HiddenAndMuted');
const operatorParts = lazyPart(() => import('../features/info/operator.pages.tsx'), { catalogue: 'info' });
const DataLost = operatorParts.as('DataLost');
const NoticeBanner = operatorParts.as('NoticeBanner');
// Pages work without these.
const isOptional = true;
const InboxStrip = lazyPart(() => import('../features/inbox/inbox-strip.tsx'), {
  catalogue: 'inbox',
  route: paths.home,
}).as('InboxStrip', { isOptional });
const InboxSync = lazyPart(() => import('../features/inbox/inbox-sync.tsx'), { isLate: true }).as(
  'InboxSync',
  { isOptional },
);
const RecoveryBanner = lazyPart(() => import('../features/settings/recovery-banner.tsx'), {
  catalogue: 'recovery',
}).as('RecoveryBanner', { isOptional });

// Pages that show something of other features.
const LoginPage = lazyPart(() => import('../features/auth/login.page.tsx'), { route: paths.login }).as(
  'LoginPage',
);
const SignupPage = lazyPart(() => import('../features/auth/signup.page.tsx'), { route: paths.signup }).as(
  'SignupPage',
);
const SettingsPage = lazyPart(() => import('../features/settings/settings.page.tsx'), {
  catalogue: 'recovery',
  route: paths.settings,
}).as('SettingsPage');
const VentLayout = lazyPart(() => import('../features/vents/detail/vent-layout.page.tsx'), {
  route: paths.vent,
  offline: true,
}).as('VentLayout');
const HomePage = lazyPart(() => import('../features/profile/home.page.tsx'), { route: paths.home }).as(
  'HomePage',
);

function LoginRoute() {
  const { state } = useLocation();
  return <LoginPage destination={destinationAfterSignIn(state)} />;
}

const forGuests: RouteObject[] = [
  { path: paths.login, element: <LoginRoute /> },
  { path: paths.signup, element: <SignupPage ProfileStep={ProfileSetup} /> },
];

const forSignedIn: RouteObject[] = [
  {
    path: paths.home,
    element: (
      <HomePage
        inbox={<InboxStrip />}
        Vents={HomeVents}
        recovery={
          <Suspense>
            <RecoveryCard ReauthForm={ReauthForm} />
          </Suspense>
        }
        closeComments={
          <Suspense>
            <CloseAllComments />
          </Suspense>
        }
      />
    ),
  },
  page(
    lazyPart(() => import('../features/vents/feed/feed.page.tsx'), { route: paths.vents, offline: true }),
    'FeedPage',
  ),
  {
    path: paths.vent,
    element: <VentLayout />,
    children: [
      { index: true },
      page(
        lazyPart(() => import('../features/vents/compose/create-vent.page.tsx'), {
          route: paths.createVent,
          offline: true,
        }),
        'CreateVentPage',
      ),
      page(
        lazyPart(() => import('../features/vents/search/search-vents.page.tsx'), {
          route: paths.searchVents,
        }),
        'SearchVentsPage',
      ),
      page(
        lazyPart(() => import('../features/vents/detail/vent-detail.page.tsx'), { route: paths.oneVent }),
        'VentDetailPage',
      ),
    ],
  },
  page(
    lazyPart(() => import('../features/vents/feed/my-vents.page.tsx'), { route: paths.myVents }),
    'MyVentsPage',
  ),
  page(
    lazyPart(() => import('../features/vents/listening/listen.page.tsx'), {
      catalogue: 'listening',
      route: paths.listen,
    }),
    'ListenPage',
  ),
  page(
    lazyPart(() => import('../features/matches/matches.page.tsx'), { route: paths.matches }),
    'MatchesPage',
  ),
  page(
    lazyPart(() => import('../features/inbox/inbox.page.tsx'), { catalogue: 'inbox', route: paths.inbox }),
    'InboxPage',
  ),
  page(
    lazyPart(() => import('../features/moderation/reports.page.tsx'), {
      catalogue: 'moderation',
      route: paths.reports,
    }),
    'ReportsPage',
  ),
  page(
    lazyPart(() => import('../features/moderation/notices.page.tsx'), {
      catalogue: 'moderation',
      route: paths.notices,
    }),
    'NoticesPage',
  ),
  {
    path: paths.settings,
    element: (
      <SettingsPage
        ReauthForm={ReauthForm}
        NewNumberForm={NewNumberForm}
        choices={
          <Suspense>
            <HiddenAndMuted />
          </Suspense>
        }
      />
    ),
  },
];

const forEverybody: RouteObject[] = [
  page(
    lazyPart(() => import('../features/info/terms.page.tsx'), {
      catalogue: ['legal', 'info'],
      route: paths.terms,
    }),
    'TermsPage',
  ),
  page(
    lazyPart(() => import('../features/info/privacy.page.tsx'), { catalogue: 'info', route: paths.privacy }),
    'PrivacyPage',
  ),
  page(
    lazyPart(() => import('../features/info/faq.page.tsx'), { catalogue: 'info', route: paths.faq }),
    'FaqPage',
  ),
  page(
    lazyPart(() => import('../features/info/support.page.tsx'), {
      catalogue: 'info',
      route: paths.support,
      offline: true,
    }),
    'SupportPage',
  ),
  page(
    lazyPart(() => import('../features/info/operator.pages.tsx'), { catalogue: 'info', route: paths.ledger }),
    'LedgerPage',
  ),
  page(
    lazyPart(() => import('../features/info/operator.pages.tsx'), { catalogue: 'info', route: paths.heard }),
    'HeardPage',
  ),
  page(
    lazyPart(() => import('../features/info/operator.pages.tsx'), {
      catalogue: 'info',
      route: paths.grievance,
    }),
    'GrievancePage',
  ),
  page(
    lazyPart(() => import('../features/not-found/not-found.page.tsx')),
    'NotFoundPage',
  ),
];

/** The server adds it to the page after a restore that lost something (`DATA_LOST`). */
const lostSpan = document.querySelector('meta[name="data-lost"]')?.getAttribute('content');

const shell = (
  <Shell
    fallback={<PageSkeleton />}
    showRecovery={(opensAt) => <RecoveryBanner opensAt={opensAt} ReauthForm={ReauthForm} />}
    notice={lostSpan && <DataLost span={lostSpan} />}
    inboxSync={
      <>
        <InboxSync />
        {/* Nobody has anything to agree to before there is a second version. */}
        {noticeVersion > firstNoticeVersion && <NoticeBanner version={noticeVersion} />}
      </>
    }
  />
);

const askOnFirstVisit = (visit: string, onAnswer: () => void) => (
  <FirstVisit visit={visit} onAnswer={onAnswer} ReauthForm={ReauthForm} />
);

const routes: RouteObject[] = [
  {
    element: shell,
    children: [
      { element: <GuestsOnly />, children: forGuests },
      { element: <SignedInOnly ask={askOnFirstVisit} />, children: forSignedIn },
      ...forEverybody,
    ],
  },
];

export const AppRoutes = () => useRoutes(routes);
