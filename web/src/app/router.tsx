import { lazy, Suspense } from 'react';
import { Route, Routes, useLocation } from 'react-router';
import { paths } from '../lib/paths.ts';
import { loadInfoMessages } from '../locales/i18n.ts';
import { PageSkeleton } from '../ui/skeleton.tsx';
import { GuestsOnly, SignedInOnly } from './guards.tsx';
import { destinationAfterSignIn } from './return-path.ts';
import { Shell } from './shell.tsx';

// Each page is its own chunk; features meet only here.
const LoginPage = lazy(async () => ({
  default: (await import('../features/auth/login.page.tsx')).LoginPage,
}));
const SignupPage = lazy(async () => ({
  default: (await import('../features/auth/signup.page.tsx')).SignupPage,
}));
const ReauthForm = lazy(async () => ({
  default: (await import('../features/auth/reauth-form.tsx')).ReauthForm,
}));
const NewNumberForm = lazy(async () => ({
  default: (await import('../features/auth/reauth-form.tsx')).NewNumberForm,
}));
const WayBackCard = lazy(async () => ({
  default: (await import('../features/settings/way-back-card.tsx')).WayBackCard,
}));
const loadHomeVents = () => import('../features/vents/home-vents.tsx');
const HomePage = lazy(async () => {
  // Its other half comes along, not after it. If it does not come, it is asked for again where it is shown.
  loadHomeVents().catch(() => undefined);
  return { default: (await import('../features/profile/home.page.tsx')).HomePage };
});
const ProfileSetup = lazy(async () => ({
  default: (await import('../features/profile/profile-setup.tsx')).ProfileSetup,
}));
const HomeVents = lazy(async () => ({ default: (await loadHomeVents()).HomeVents }));
const CloseAllComments = lazy(async () => ({
  default: (await import('../features/vents/close-all-comments.tsx')).CloseAllComments,
}));
const FeedPage = lazy(async () => ({
  default: (await import('../features/vents/feed.page.tsx')).FeedPage,
}));
const VentLayout = lazy(async () => ({
  default: (await import('../features/vents/vent-layout.page.tsx')).VentLayout,
}));
const CreateVentPage = lazy(async () => ({
  default: (await import('../features/vents/create-vent.page.tsx')).CreateVentPage,
}));
const SearchVentsPage = lazy(async () => ({
  default: (await import('../features/vents/search-vents.page.tsx')).SearchVentsPage,
}));
const VentDetailPage = lazy(async () => ({
  default: (await import('../features/vents/vent-detail.page.tsx')).VentDetailPage,
}));
const MyVentsPage = lazy(async () => ({
  default: (await import('../features/vents/my-vents.page.tsx')).MyVentsPage,
}));
const SettingsPage = lazy(async () => ({
  default: (await import('../features/settings/settings.page.tsx')).SettingsPage,
}));
const MatchesPage = lazy(async () => ({
  default: (await import('../features/matches/matches.page.tsx')).MatchesPage,
}));
const NotFoundPage = lazy(async () => ({
  default: (await import('../features/not-found/not-found.page.tsx')).NotFoundPage,
}));

/** The long texts bring their own catalogue along. */
const TermsPage = lazy(async () => {
  const texts = loadInfoMessages();
  const page = (await import('../features/info/terms.page.tsx')).TermsPage;
  await texts;
  return { default: page };
});
const PrivacyPage = lazy(async () => {
  const texts = loadInfoMessages();
  const page = (await import('../features/info/privacy.page.tsx')).PrivacyPage;
  await texts;
  return { default: page };
});
const FaqPage = lazy(async () => {
  const texts = loadInfoMessages();
  const page = (await import('../features/info/faq.page.tsx')).FaqPage;
  await texts;
  return { default: page };
});
const SupportPage = lazy(async () => {
  const texts = loadInfoMessages();
  const page = (await import('../features/info/support.page.tsx')).SupportPage;
  await texts;
  return { default: page };
});

function LoginRoute() {
  const { state } = useLocation();
  return <LoginPage destination={destinationAfterSignIn(state)} />;
}

export function AppRoutes() {
  return (
    <Routes>
      <Route element={<Shell fallback={<PageSkeleton />} />}>
        <Route element={<GuestsOnly />}>
          <Route path={paths.login} element={<LoginRoute />} />
          <Route path={paths.signup} element={<SignupPage ProfileStep={ProfileSetup} />} />
        </Route>
        <Route element={<SignedInOnly />}>
          <Route
            path={paths.home}
            element={
              <HomePage
                wayBack={
                  <Suspense>
                    <WayBackCard ReauthForm={ReauthForm} />
                  </Suspense>
                }
                vents={
                  <Suspense>
                    <HomeVents />
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
          <Route
            path={paths.settings}
            element={<SettingsPage ReauthForm={ReauthForm} NewNumberForm={NewNumberForm} />}
          />
        </Route>
        <Route path={paths.terms} element={<TermsPage />} />
        <Route path={paths.privacy} element={<PrivacyPage />} />
        <Route path={paths.faq} element={<FaqPage />} />
        <Route path={paths.support} element={<SupportPage />} />
        <Route path="*" element={<NotFoundPage />} />
      </Route>
    </Routes>
  );
}
