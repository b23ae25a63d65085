import { useId, type KeyboardEvent, type ReactNode } from 'react';
import { Link, type To } from 'react-router';
import styles from './matches.module.css';

interface TabLink {
  readonly key: string;
  readonly label: string;
  readonly to: To;
}

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly TabLink[];
  readonly current: string;
  readonly children: ReactNode;
}

/** The tab that a key moves to, or undefined for other keys. */
function targetOf(key: string, from: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowRight':
      return (from + 1) % count;
    case 'ArrowLeft':
      return (from - 1 + count) % count;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}

function onKeyDown(event: KeyboardEvent<HTMLAnchorElement>): void {
  const tab = event.currentTarget;
  const tabs = [...(tab.parentElement?.querySelectorAll('a') ?? [])];
  const target = targetOf(event.key, tabs.indexOf(tab), tabs.length);
  // A link handles Enter by itself, but a tab must also react to Space.
  if (event.key === ' ') tab.click();
  else if (target !== undefined) tabs[target]?.focus();
  else return;
  event.preventDefault();
}

/** Tabs that are links: history, reload and a copied URL keep the open one. */
export function Tabs({ label, tabs, current, children }: TabsProps) {
  const id = useId();
  const tabId = (key: string) => `${id}-${key}`;
  return (
    <>
      <div role="tablist" aria-label={label} className={styles.tabs}>
        {tabs.map(({ key, label, to }) => {
          const isCurrent = key === current;
          return (
            <Link
              key={key}
              to={to}
              role="tab"
              id={tabId(key)}
              aria-selected={isCurrent}
              aria-controls={isCurrent ? id : undefined}
              tabIndex={isCurrent ? 0 : -1}
              className={styles.tab}
              onKeyDown={onKeyDown}
            >
              {label}
            </Link>
          );
        })}
      </div>
      <div role="tabpanel" id={id} aria-labelledby={tabId(current)} className={styles.panel}>
        {children}
      </div>
    </>
  );
}
