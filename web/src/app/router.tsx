import { firstNoticeVersion, noticeVersion } from '@unsaid/contract';
import { Suspense, type ComponentType, type ReactNode } from 'react';
import { useLocation, useRoutes, type RouteObject } from 'react-router';
import { afterFirstContent } from '../lib/app-ready.ts';
import { lazyNamed, lazyPart } from '../lib/lazy-named.tsx';
import { paths } from '../lib/paths.ts';
import { withMessages, type LazyCatalogue } from '../locales/i18n.ts';
import { PageSkeleton } from '../ui/skeleton.tsx';
import { GuestsOnly, SignedInOnly } from './guards.tsx';
import { destinationAfterSignIn } from './return-path.ts';
import { Shell } from './shell.tsx';

/** A page: one chunk each, loaded with its message catalogue where it has one of its own. */
function page<Name extends string>(
  path: string,
  load: () => Promise<Readonly<Record<Name, ComponentType>>>,
  name: Name,
  ...catalogues: LazyCatalogue[]
): RouteObject {
  const Page = lazyPart(async () => (await withMessages(load(), ...catalogues))[name]);
  return { path, element: <Page /> };
}

// What pages show of other features. Only the router imports several.
const loadHomeVents = () => import('../features/vents/feed/home-vents.tsx');
const loadInboxStrip = () => withMessages(import('../features/inbox/inbox-strip.tsx'), 'inbox');
const loadReauthForm = () => import('../features/auth/reauth-form.tsx');
const loadOperatorPages = () => import('../features/info/operator.pages.tsx');
const ReauthForm = lazyNamed(loadReauthForm, 'ReauthForm');
const NewNumberForm = lazyNamed(loadReauthForm, 'NewNumberForm');
/** Below the vents. */
const RecoveryCard = lazyNamed(
  () =>
    afterFirstContent().then(() =>
      withMessages(import('../features/settings/recovery-card.tsx'), 'recovery'),
    ),
  'RecoveryCard',
);
const FirstVisit = lazyNamed(
  () => withMessages(import('../features/settings/first-visit.tsx'), 'recovery'),
  'FirstVisit',
);
const ProfileSetup = lazyNamed(() => import('../features/profile/profile-setup.tsx'), 'ProfileSetup');
const HomeVents = lazyNamed(loadHomeVents, 'HomeVents');
const CloseAllComments = lazyNamed(
  () => import('../features/vents/comments/close-all-comments.tsx'),
  'CloseAllComments',
);
const HiddenAndMuted = lazyNamed(
  () => withMessages(import('../features/choices/hidden-and-muted.tsx'), 'choices'),
  'HiddenAndMuted',
);
const DataLost = lazyNamed(() => withMessages(loadOperatorPages(), 'info'), 'DataLost');
const NoticeBanner = lazyNamed(() => withMessages(loadOperatorPages(), 'info'), 'NoticeBanner');
// Pages work without these.
const isOptional = true;
const InboxStrip = lazyNamed(loadInboxStrip, 'InboxStrip', { isOptional });
const InboxSync = lazyNamed(
  () => afterFirstContent().then(() => import('../features/inbox/inbox-sync.tsx')),
  'InboxSync',
  { isOptional },
);
interface RecoveryBannerProps {
  readonly opensAt: string;
  readonly ReauthForm: typeof ReauthForm;
}
const RecoveryBanner = lazyNamed<
  { readonly RecoveryBanner: (props: RecoveryBannerProps) => ReactNode },
  'RecoveryBanner'
>(() => withMessages(import('../features/settings/recovery-banner.tsx'), 'recovery'), 'RecoveryBanner', {
  isOptional,
});

// Pages that show something of other features.
const LoginPage = lazyNamed(() => import('../features/auth/login.page.tsx'), 'LoginPage');
const SignupPage = lazyNamed(() => import('../features/auth/signup.page.tsx'), 'SignupPage');
const SettingsPage = lazyNamed(
  () => withMessages(import('../features/settings/settings.page.tsx'), 'recovery'),
  'SettingsPage',
);
const VentLayout = lazyNamed(() => import('../features/vents/detail/vent-layout.page.tsx'), 'VentLayout');
const HomePage = lazyNamed(() => {
  // Preloads the other parts of the page in parallel. If that fails, they are loaded again when rendered.
  loadHomeVents().catch(() => undefined);
  loadInboxStrip().catch(() => undefined);
  return import('../features/profile/home.page.tsx');
}, 'HomePage');

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
  page(paths.vents, () => import('../features/vents/feed/feed.page.tsx'), 'FeedPage'),
  {
    path: paths.vent,
    element: <VentLayout />,
    children: [
      { index: true },
      page(
        paths.createVent,
        () => import('../features/vents/compose/create-vent.page.tsx'),
        'CreateVentPage',
      ),
      page(
        paths.searchVents,
        () => import('../features/vents/search/search-vents.page.tsx'),
        'SearchVentsPage',
      ),
      page(':ventId', () => import('../features/vents/detail/vent-detail.page.tsx'), 'VentDetailPage'),
    ],
  },
  page(paths.myVents, () => import('../features/vents/feed/my-vents.page.tsx'), 'MyVentsPage'),
  page(paths.listen, () => import('../features/vents/listening/listen.page.tsx'), 'ListenPage', 'listening'),
  page(paths.matches, () => import('../features/matches/matches.page.tsx'), 'MatchesPage'),
  page(paths.inbox, () => import('../features/inbox/inbox.page.tsx'), 'InboxPage', 'inbox'),
  page(paths.reports, () => import('../features/moderation/reports.page.tsx'), 'ReportsPage', 'moderation'),
  page(paths.notices, () => import('../features/moderation/notices.page.tsx'), 'NoticesPage', 'moderation'),
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
  page(paths.terms, () => import('../features/info/terms.page.tsx'), 'TermsPage', 'info', 'legal'),
  page(paths.privacy, () => import('../features/info/privacy.page.tsx'), 'PrivacyPage', 'info', 'legal'),
  page(paths.faq, () => import('../features/info/faq.page.tsx'), 'FaqPage', 'info'),
  page(paths.support, () => import('../features/info/support.page.tsx'), 'SupportPage', 'info'),
  page(paths.ledger, loadOperatorPages, 'LedgerPage', 'info'),
  page(paths.heard, loadOperatorPages, 'HeardPage', 'info'),
  page(paths.grievance, loadOperatorPages, 'GrievancePage', 'info'),
  page('*', () => import('../features/not-found/not-found.page.tsx'), 'NotFoundPage'),
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
