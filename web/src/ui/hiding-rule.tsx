import { Trans } from '@lingui/react/macro';

/** Why only what one can point at can be hidden. */
export function HidingRule() {
  return (
    <Trans>
      We can't block one person everywhere: it would show which vents are theirs. If someone keeps hurting
      you, report it.
    </Trans>
  );
}
