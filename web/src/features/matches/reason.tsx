import type { MatchReason } from '@unsaid/contract';
import { Trans } from '@lingui/react/macro';
import { Words } from '../../ui/words.tsx';

/** Why these two, in the reader's language; a kind that is newer than this page, in the server's words. */
export function Reason({ reason: { kind, about, text } }: { readonly reason: MatchReason }) {
  switch (kind) {
    case 'shared_interest':
      if (about === null) break;
      return (
        <Trans>
          You both like <Words>{about}</Words>
        </Trans>
      );
    case 'both_similar':
      return <Trans>You both asked for someone who feels alike</Trans>;
    case 'both_different':
      return <Trans>You both asked for someone who feels differently</Trans>;
    case 'both_balanced':
      return <Trans>You both asked for a balance</Trans>;
  }
  return <Words>{text}</Words>;
}
