import { getGrievanceOfficer, type ResponseOf } from '@unsaid/contract';
import { bind } from '../../kernel/viewer.ts';
import type { Binding } from '../../platform/http/bind.ts';

export function grievanceRoutes(officer: ResponseOf<typeof getGrievanceOfficer>['officer']): Binding[] {
  return [bind(getGrievanceOfficer, async () => ({ officer }))];
}
