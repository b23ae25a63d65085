import { firstNoticeVersion, noticeVersion } from '@unsaid/contract';
import { Suspense } from 'react';
import { Route, Routes, useLocation } from 'react-router';
import { lazyNamed } from '../lib/lazy-named.ts';
import { paths } from '../lib/paths.ts';
import { loadMessages } from '../locales/i18n.ts';
import { PageSkeleton } from '../ui/skeleton.tsx';
import { GuestsOnly, SignedInOnly } from './guards.tsx';
import { destinationAfterSignIn } from './return-path.ts';
import { Shell } from './shell.tsx';

// One chunk per page. Only the router imports several features.
const LoginPage = lazyNamed(() => import('../features/auth/login.page.tsx'), 'LoginPage');
const SignupPage = lazyNamed(() => import('../features/auth/signup.page.tsx'), 'SignupPage');
const ReauthForm = lazyNamed(() => import('../features/auth/reauth-form.tsx'), 'ReauthForm');
const NewNumberForm = lazyNamed(() => import('../features/auth/reauth-form.tsx'), 'NewNumberForm');
const RecoveryCard = lazyNamed(() => import('../features/settings/recovery-card.tsx'), 'RecoveryCard');
const loadHomeVents = () => import('../features/vents/feed/home-vents.tsx');
const loadInboxStrip = () => loadWith('inbox', () => import('../features/inbox/inbox-strip.tsx'));
const HomePage = lazyNamed(() => {
  // Preloads the other parts of the page in parallel. If that fails, they are loaded again when rendered.
  loadHomeVents().catch(() => undefined);
  loadInboxStrip().catch(() => undefined);
  return import('../features/profile/home.page.tsx');
}, 'HomePage');
const ProfileSetup = lazyNamed(() => import('../features/profile/profile-setup.tsx'), 'ProfileSetup');
const HomeVents = lazyNamed(loadHomeVents, 'HomeVents');
const CloseAllComments = lazyNamed(
  () => import('../features/vents/comments/close-all-comments.tsx'),
  'CloseAllComments',
);
const FeedPage = lazyNamed(() => import('../features/vents/feed/feed.page.tsx'), 'FeedPage');
const VentLayout = lazyNamed(() => import('../features/vents/detail/vent-layout.page.tsx'), 'VentLayout');
const CreateVentPage = lazyNamed(
  () => import('../features/vents/compose/create-vent.page.tsx'),
  'CreateVentPage',
);
const SearchVentsPage = lazyNamed(
  () => import('../features/vents/search/search-vents.page.tsx'),
  'SearchVentsPage',
);
const VentDetailPage = lazyNamed(
  () => import('../features/vents/detail/vent-detail.page.tsx'),
  'VentDetailPage',
);
const MyVentsPage = lazyNamed(() => import('../features/vents/feed/my-vents.page.tsx'), 'MyVentsPage');
const SettingsPage = lazyNamed(() => import('../features/settings/settings.page.tsx'), 'SettingsPage');
const MatchesPage = lazyNamed(() => import('../features/matches/matches.page.tsx'), 'MatchesPage');
const NotFoundPage = lazyNamed(() => import('../features/not-found/not-found.page.tsx'), 'NotFoundPage');

/** A module with a message catalogue of its own. */
async function loadWith<M>(
  catalogue: Parameters<typeof loadMessages>[0],
  load: () => Promise<M>,
): Promise<M> {
  const [, module] = await Promise.all([loadMessages(catalogue), load()]);
  return module;
}
function lazyInfoPage<M, Name extends keyof M>(load: () => Promise<M>, name: Name) {
  return lazyNamed(() => loadWith('info', load), name);
}
const TermsPage = lazyInfoPage(() => import('../features/info/terms.page.tsx'), 'TermsPage');
const PrivacyPage = lazyInfoPage(() => import('../features/info/privacy.page.tsx'), 'PrivacyPage');
const FaqPage = lazyInfoPage(() => import('../features/info/faq.page.tsx'), 'FaqPage');
const SupportPage = lazyInfoPage(() => import('../features/info/support.page.tsx'), 'SupportPage');
const loadOperatorPages = () => import('../features/info/operator.pages.tsx');
const LedgerPage = lazyInfoPage(loadOperatorPages, 'LedgerPage');
const GrievancePage = lazyInfoPage(loadOperatorPages, 'GrievancePage');
const NoticeBanner = lazyInfoPage(loadOperatorPages, 'NoticeBanner');

const NoticesPage = lazyNamed(
  () => loadWith('moderation', () => import('../features/moderation/notices.page.tsx')),
  'NoticesPage',
);
const ReportsPage = lazyNamed(
  () => loadWith('moderation', () => import('../features/moderation/reports.page.tsx')),
  'ReportsPage',
);

const nothing = () => null;
const InboxPage = lazyNamed(
  () => loadWith('inbox', () => import('../features/inbox/inbox.page.tsx')),
  'InboxPage',
);
const InboxSettings = lazyNamed(
  () => loadWith('inbox', () => import('../features/inbox/inbox-settings.tsx')),
  'InboxSettings',
);
const HiddenAndMuted = lazyNamed(
  () => loadWith('choices', () => import('../features/choices/hidden-and-muted.tsx')),
  'HiddenAndMuted',
);
// Parts of other pages, which work without them.
const InboxStrip = lazyNamed(() => loadInboxStrip().catch(() => ({ InboxStrip: nothing })), 'InboxStrip');
const InboxSync = lazyNamed(
  () => import('../features/inbox/inbox-sync.tsx').catch(() => ({ InboxSync: nothing })),
  'InboxSync',
);

function LoginRoute() {
  const { state } = useLocation();
  return <LoginPage destination={destinationAfterSignIn(state)} />;
}

export function AppRoutes() {
  return (
    <Routes>
      <Route
        element={
          <Shell
            fallback={<PageSkeleton />}
            inboxSync={
              <>
                <InboxSync />
                {/* Nobody has anything to agree to before there is a second version. */}
                {noticeVersion > firstNoticeVersion && <NoticeBanner version={noticeVersion} />}
              </>
            }
          />
        }
      >
        <Route element={<GuestsOnly />}>
          <Route path={paths.login} element={<LoginRoute />} />
          <Route path={paths.signup} element={<SignupPage ProfileStep={ProfileSetup} />} />
        </Route>
        <Route element={<SignedInOnly />}>
          <Route
            path={paths.home}
            element={
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
            }
          />
          <Route path={paths.vents} element={<FeedPage />} />
          <Route path={paths.vent} element={<VentLayout />}>
            <Route index />
            <Route path={paths.createVent} element={<CreateVentPage />} />
            <Route path={paths.searchVents} element={<SearchVentsPage />} />
            <Route path=":ventId" element={<VentDetailPage />} />
          </Route>
          <Route path={paths.myVents} element={<MyVentsPage />} />
          <Route path={paths.matches} element={<MatchesPage />} />
          <Route path={paths.inbox} element={<InboxPage />} />
          <Route path={paths.reports} element={<ReportsPage />} />
          <Route path={paths.notices} element={<NoticesPage />} />
          <Route
            path={paths.settings}
            element={
              <SettingsPage
                ReauthForm={ReauthForm}
                NewNumberForm={NewNumberForm}
                inbox={
                  <Suspense>
                    <InboxSettings />
                  </Suspense>
                }
                choices={
                  <Suspense>
                    <HiddenAndMuted />
                  </Suspense>
                }
              />
            }
          />
        </Route>
        <Route path={paths.terms} element={<TermsPage />} />
        <Route path={paths.privacy} element={<PrivacyPage />} />
        <Route path={paths.faq} element={<FaqPage />} />
        <Route path={paths.support} element={<SupportPage />} />
        <Route path={paths.ledger} element={<LedgerPage />} />
        <Route path={paths.grievance} element={<GrievancePage />} />
        <Route path="*" element={<NotFoundPage />} />
      </Route>
    </Routes>
  );
}
