import { QueryClientProvider } from '@tanstack/react-query';
import { useState } from 'react';
import { BrowserRouter, Navigate, Route, Routes, useLocation } from 'react-router';
import { failureWords } from './lib/failure-words.ts';
import { AuditScreen } from './screens/audit.tsx';
import { CaseScreen } from './screens/case/case.tsx';
import { CasesScreen } from './screens/cases.tsx';
import { EnrolScreen } from './screens/enrol.tsx';
import { FiguresScreen } from './screens/figures.tsx';
import { OpenCaseScreen } from './screens/open-case.tsx';
import { SignInScreen } from './screens/sign-in.tsx';
import { createClient, useSession } from './session.ts';
import { Shell } from './shell.tsx';
import { Banner } from './ui/banner.tsx';
import { Button } from './ui/button.tsx';

export function App() {
  const [client] = useState(createClient);
  return (
    <QueryClientProvider client={client}>
      <BrowserRouter>
        <Gate />
      </BrowserRouter>
    </QueryClientProvider>
  );
}

/** Nothing but enrolment and sign-in without a session. The address stays, so that signing in returns to it. */
function Gate() {
  const { pathname } = useLocation();
  return pathname === '/enrol' ? <EnrolScreen /> : <SignedInPages />;
}

function SignedInPages() {
  const { query, begin } = useSession();
  if (query.isPending) return null;
  if (query.isError)
    return (
      <main>
        <h1>Unsaid moderation</h1>
        <Banner tone="alarm" isAlert action={<Button onClick={() => void query.refetch()}>Try again</Button>}>
          {failureWords(query.error)}
        </Banner>
      </main>
    );
  const { me, hasEnded } = query.data;
  if (!me) return <SignInScreen hasEnded={hasEnded} onSignedIn={begin} />;
  const isAuditor = me.role === 'auditor';
  return (
    <Shell>
      <Routes>
        {!isAuditor && (
          <>
            <Route path="/" element={<CasesScreen />} />
            <Route path="/cases/:id" element={<CaseScreen />} />
          </>
        )}
        {me.role === 'lead' && <Route path="/open" element={<OpenCaseScreen />} />}
        {me.role !== 'moderator' && <Route path="/audit" element={<AuditScreen />} />}
        <Route path="/figures" element={<FiguresScreen />} />
        <Route path="*" element={<Navigate to={isAuditor ? '/figures' : '/'} replace />} />
      </Routes>
    </Shell>
  );
}
