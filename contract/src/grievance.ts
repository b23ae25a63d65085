import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { success } from './fields.ts';

export const getGrievanceOfficer = endpoint({
  method: 'GET',
  path: '/api/grievance',
  summary:
    'Name and contact of the grievance officer, and what /terms and /privacy say about the operator, from the settings of this deployment.',
  auth: 'public',
  response: z.object({
    ...success,
    /** Null where the operator has not set one: production does not start like that. */
    officer: z.nullable(
      z.object({
        name: z.string(),
        email: z.string(),
        address: z.nullable(z.string()),
        phone: z.nullable(z.string()),
      }),
    ),
    operator: z.object({
      nameAndAddress: z.nullable(z.string()),
      support: z.nullable(z.string()),
      /** The day from which the terms apply. */
      termsFrom: z.nullable(z.string()),
      courts: z.nullable(z.string()),
      hosting: z.nullable(z.string()),
      smsCompany: z.nullable(z.string()),
      smsKeeps: z.nullable(z.string()),
    }),
  }),
});
