import { signOut } from '@unsaid/contract/moderation/console';
import { useState, type ReactNode } from 'react';
import { NavLink } from 'react-router';
import { call } from './api.ts';
import { announce, useAnnouncement } from './lib/announce.ts';
import { useShortcuts } from './lib/shortcuts.ts';
import { counted, roleWords } from './lib/words.ts';
import { HelpDialog } from './screens/help.tsx';
import { useMe, useSession } from './session.ts';
import { Banner } from './ui/banner.tsx';
import { Button } from './ui/button.tsx';
import styles from './shell.module.css';

/** From here on the console says how many severe texts are left. */
const fewSevereLeft = 10;

export function Shell({ children }: { readonly children: ReactNode }) {
  const me = useMe();
  const { end } = useSession();
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  useShortcuts({ '?': () => setIsHelpOpen(true) });

  async function leave(): Promise<void> {
    // Whatever the server says, nothing stays in this tab.
    await call(signOut).catch(() => undefined);
    announce('');
    end();
  }

  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#page">
        Skip to the page
      </a>
      <header className={styles.header}>
        <p className={styles.name}>
          Unsaid <span>moderation</span>
        </p>
        <nav aria-label="Console">
          <ul role="list" className={styles.nav}>
            {me.role !== 'auditor' && <Tab to="/">Cases</Tab>}
            {me.role === 'lead' && <Tab to="/open">Open a case</Tab>}
            <Tab to="/figures">Figures</Tab>
            {me.role !== 'moderator' && <Tab to="/audit">Audit log</Tab>}
          </ul>
        </nav>
        <div className={styles.who}>
          <p>
            {me.alias} <span>{roleWords[me.role]}</span>
          </p>
          <Button variant="quiet" shortcut="?" onClick={() => setIsHelpOpen(true)}>
            Keys
          </Button>
          <Button variant="quiet" onClick={() => void leave()}>
            Sign out
          </Button>
        </div>
      </header>
      <main id="page" className={styles.main}>
        {me.activeModerators < 2 && (
          <Banner tone="warn">
            There is only one active moderator. Appeals go to somebody else, so nobody can decide them until a
            second one has signed up.
          </Banner>
        )}
        {me.role !== 'auditor' && me.severeLeft <= fewSevereLeft && (
          <Banner tone="calm">
            {me.severeLeft > 0
              ? `${counted(me.severeLeft, 'severe text')} left for today. After that, lighter cases or a rest: both are fine.`
              : 'That was the last severe text for today. Take a break, talk to somebody, drink some water. The rest can wait.'}
          </Banner>
        )}
        <Announcement />
        {children}
      </main>
      {isHelpOpen && <HelpDialog onClose={() => setIsHelpOpen(false)} />}
    </div>
  );
}

function Tab({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  return (
    <li>
      <NavLink to={to} end className={styles.tab ?? ''}>
        {children}
      </NavLink>
    </li>
  );
}

/** What became of the last action. Always there, so that screen readers notice when it changes. */
function Announcement() {
  const text = useAnnouncement();
  return (
    <p role="status" className={text ? styles.status : 'visually-hidden'}>
      {text}
    </p>
  );
}
