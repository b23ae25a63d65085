import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, type ReactNode } from 'react';
import { useLocation, useNavigationType } from 'react-router';
import { formatDate } from '../../lib/format.ts';
import { localeNames, type Locale } from '../../lib/locale.ts';
import { setNeutralTab, useNeutralTab } from '../../lib/neutral-tab.ts';
import { paths, recoveryHash } from '../../lib/paths.ts';
import { setScheme, useScheme, type Scheme } from '../../lib/scheme.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Fold } from '../../ui/fold.tsx';
import { LanguageSwitch } from '../../ui/language-switch.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import { SwitchRow } from '../../ui/switch-row.tsx';
import type { SettingsForms } from './settings-forms.ts';
import { DeleteAccount } from './delete-account.tsx';
import { ExportData } from './export-data.tsx';
import { recoveryQuery } from './recovery.api.ts';
import { RecoverySection } from './recovery-section.tsx';
import { Sessions } from './sessions.tsx';
import system from '@material-symbols/svg-400/rounded/contrast.svg?path';
import dark from '@material-symbols/svg-400/rounded/dark_mode.svg?path';
import light from '@material-symbols/svg-400/rounded/light_mode.svg?path';
import styles from './settings.module.css';

interface PageProps extends SettingsForms {
  /** What the user has hidden and muted, from that feature. */
  readonly choices: ReactNode;
}

/** Four groups, each with how it stands. */
export function SettingsPage({ ReauthForm, NewNumberForm, choices }: PageProps) {
  const { t, i18n } = useLingui();
  const scheme = useScheme();
  const { hash } = useLocation();
  const { data: recovery } = useQuery(recoveryQuery);
  const madeOn = recovery?.madeOn && formatDate(recovery.madeOn);
  const schemes = useSchemeNames();
  return (
    <div className={styles.page}>
      <PageHeading>{t`Settings`}</PageHeading>
      <Group title={t`On this phone`} state={`${localeNames[i18n.locale as Locale]} · ${schemes[scheme]}`}>
        <Section title={t`Language`}>
          <LanguageSwitch />
          {i18n.locale !== 'en' && (
            <p className={styles.soft}>
              <Trans>A native speaker still has to check this translation.</Trans>
            </p>
          )}
        </Section>
        <Section title={t`Theme`}>
          <SchemeChoice />
        </Section>
        <Section title={t`Hide Unsaid on this device`}>
          <NeutralTabSwitch />
        </Section>
      </Group>
      <Group title={t`What you see`} state={t`Hidden and muted, reports`}>
        <Section title={t`Hidden and muted`}>{choices}</Section>
        <Section title={t`Reports and notices`}>
          <div className={styles.actions}>
            <ButtonLink variant="outlined" to={paths.reports}>{t`Your reports`}</ButtonLink>
            <ButtonLink variant="outlined" to={paths.notices}>{t`Notices`}</ButtonLink>
          </div>
        </Section>
      </Group>
      <Group
        title={t`Logging in`}
        state={
          recovery &&
          (madeOn ? t`Recovery code made on ${madeOn}` : t`Devices, your number, no recovery code`)
        }
        mustOpen={hash === recoveryHash}
      >
        <Section title={t`Where you're logged in`}>
          <Sessions />
        </Section>
        <Section title={t`Account recovery`} hash={recoveryHash}>
          <RecoverySection ReauthForm={ReauthForm} NewNumberForm={NewNumberForm} />
        </Section>
      </Group>
      <Group title={t`Your data`} state={t`Export it, or delete your account`}>
        <Section title={t`Export my data`}>
          <ExportData ReauthForm={ReauthForm} />
        </Section>
        <Section title={t`Delete account`}>
          <DeleteAccount ReauthForm={ReauthForm} />
        </Section>
      </Group>
    </div>
  );
}

interface GroupProps {
  readonly title: string;
  readonly state: ReactNode;
  readonly mustOpen?: boolean;
  readonly children: ReactNode;
}

function Group({ title, children, ...fold }: GroupProps) {
  return (
    <Card>
      <Fold title={<h2>{title}</h2>} {...fold}>
        <div className={styles.group}>{children}</div>
      </Fold>
    </Card>
  );
}

interface SectionProps {
  readonly title: string;
  readonly children: ReactNode;
  /** A link with it leads here. */
  readonly hash?: string;
}

function Section({ title, children, hash }: SectionProps) {
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  const location = useLocation();
  const navigation = useNavigationType();
  // Back and a reload restore the position.
  const meantBy = location.hash === hash && navigation !== 'POP' ? location.key : null;
  useEffect(() => {
    if (meantBy === null) return;
    heading.current?.scrollIntoView();
    heading.current?.focus({ preventScroll: true });
  }, [meantBy]);
  return (
    <section aria-labelledby={id} className={styles.section}>
      <h3 ref={heading} id={id} tabIndex={hash === undefined ? undefined : -1}>
        {title}
      </h3>
      {children}
    </section>
  );
}

function useSchemeNames(): Readonly<Record<Scheme, string>> {
  const { t } = useLingui();
  return { system: t`System theme`, light: t`Light theme`, dark: t`Dark theme` };
}

function NeutralTabSwitch() {
  const { t } = useLingui();
  const isOn = useNeutralTab();
  return (
    <>
      <SwitchRow
        label={t`Neutral tab`}
        hint={t`The tab is called “Notes” and gets a plain icon.`}
        isOn={isOn}
        onChange={setNeutralTab}
      />
      <p className={styles.soft}>
        <Trans>
          Need to hide fast? Tap Leave, or press Escape three times. You stay logged in, and the browser's
          history may still show Unsaid.
        </Trans>
      </p>
    </>
  );
}

function SchemeChoice() {
  const { t } = useLingui();
  const scheme = useScheme();
  return (
    <Choice<Scheme>
      legend={t`Theme`}
      isLegendHidden
      value={scheme}
      onChange={setScheme}
      options={[
        { value: 'system', label: t`System`, icon: system },
        { value: 'light', label: t`Light`, icon: light },
        { value: 'dark', label: t`Dark`, icon: dark },
      ]}
    />
  );
}
