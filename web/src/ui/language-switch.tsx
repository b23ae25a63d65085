import { useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import { localeNames, locales, type Locale } from '../lib/locale.ts';
import { chooseLocale } from '../locales/i18n.ts';
import { cx } from './class-names.ts';
import { FieldError } from './field.tsx';
import { Icon } from './icon.tsx';
import translate from '@material-symbols/svg-400/rounded/translate.svg?path';
import styles from './language-switch.module.css';

/** Each language is named in itself, for readers who cannot read the current one. */
export function LanguageSwitch({ className }: { readonly className?: string | undefined }) {
  const { t, i18n } = useLingui();
  const [hasFailed, setHasFailed] = useState(false);

  const choose = (locale: Locale) => {
    setHasFailed(false);
    chooseLocale(locale).catch(() => setHasFailed(true));
  };

  return (
    <div className={className}>
      <div role="group" aria-label={t`Language`} className={styles.group}>
        <Icon path={translate} size={20} className={styles.icon} />
        {locales.map((locale) => (
          <button
            key={locale}
            type="button"
            lang={locale}
            aria-pressed={locale === i18n.locale}
            className={cx(styles.language)}
            onClick={() => choose(locale)}
          >
            {localeNames[locale]}
          </button>
        ))}
      </div>
      {hasFailed && (
        <FieldError>{t`Couldn't load this language. Check your connection and try again.`}</FieldError>
      )}
    </div>
  );
}
