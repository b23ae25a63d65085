import { getLedger } from '@unsaid/contract';
import { bind } from '../../kernel/viewer.ts';
import type { Binding } from '../../platform/http/bind.ts';
import type { LedgerService } from './ledger.ts';

export function ledgerRoutes(ledger: LedgerService): Binding[] {
  return [bind(getLedger, () => ledger.read())];
}
