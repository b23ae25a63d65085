import { Trans } from '@lingui/react/macro';

/** Why only what one can point at can be hidden. */
export function HidingRule() {
  return (
    <Trans>
      We can't hide everything by one author: you'd learn which vents are theirs, and others which are yours.
      If someone targets you, report it; we can stop them everywhere.
    </Trans>
  );
}
