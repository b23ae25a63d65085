import { Trans } from '@lingui/react/macro';

/** When the card is shown. */
export type Moment = 'writing' | 'posted' | 'own' | 'search';

export function HeavySentence({ moment }: { readonly moment: Moment }) {
  switch (moment) {
    case 'writing':
      return <Trans>That sounds heavy. You can post this, and you can also talk to someone.</Trans>;
    case 'posted':
      return <Trans>That sounds heavy. You can also talk to someone.</Trans>;
    case 'own':
      return <Trans>If it's still this heavy, you can talk to someone.</Trans>;
    case 'search':
      return <Trans>If things are heavy right now, you can talk to someone.</Trans>;
  }
}
