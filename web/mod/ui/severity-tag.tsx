import { severityWords } from '../lib/words.ts';
import { Tag } from './tag.tsx';

export function SeverityTag({ severity }: { readonly severity: number }) {
  return (
    <Tag tone={severity >= 4 ? 'alarm' : severity === 3 ? 'warn' : 'plain'}>{severityWords(severity)}</Tag>
  );
}
