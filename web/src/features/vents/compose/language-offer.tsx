import { useLingui } from '@lingui/react';
import { useEffect, useState } from 'react';
import { dismiss, isDismissed } from '../../../lib/dismissals.ts';
import { chooseLocale } from '../../../locales/i18n.ts';
import { Button } from '../../../ui/button.tsx';
import { authorLevel, useGuard } from '../crisis/crisis-guard.ts';
import styles from './composer.module.css';

interface LanguageOfferProps {
  readonly accountId: string;
  readonly text: string;
}

const offer = 'hinglish';
/** Fewer do not tell. */
const leastWords = 8;

/** Once, to who writes Hinglish while the page is in English, and in the language it offers. Never beside the crisis card. */
export function LanguageOffer({ accountId, text }: LanguageOfferProps) {
  const { i18n } = useLingui();
  const guard = useGuard();
  const [wasOffered] = useState(() => isDismissed(accountId, offer));
  const [isClosed, setIsClosed] = useState(false);
  const isShown =
    !wasOffered &&
    !isClosed &&
    i18n.locale === 'en' &&
    text.trim().split(/\s+/u).length >= leastWords &&
    guard?.languageOf(text) === 'hinglish' &&
    authorLevel(text) === 0;
  useEffect(() => {
    if (isShown) dismiss(accountId, offer);
  }, [isShown, accountId]);
  if (!isShown) return null;
  const choose = () => {
    // The menu has the choice too.
    chooseLocale('hi-Latn').catch(() => setIsClosed(true));
  };
  return (
    <div role="group" lang="hi-Latn" aria-label="Hinglish" className={styles.offer}>
      <p>Unsaid Hinglish mein bhi hai.</p>
      <Button variant="quiet" onClick={choose}>
        Hinglish mein dekhein
      </Button>
      <Button variant="quiet" onClick={() => setIsClosed(true)}>
        Rehne dein
      </Button>
    </div>
  );
}
