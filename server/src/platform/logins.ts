/** Database connections: a login for each schema, or the owner's login with `set role` to the schema's role. */

/** Also the names of the schemas. The roles with their rights are `unsaid_identity` and so on. */
export const loginRoles = ['identity', 'content', 'matching', 'moderation', 'jobs'] as const;
export type LoginRole = (typeof loginRoles)[number];

export interface Logins {
  readonly databaseUrl: string;
  readonly roleUrls: { readonly [R in LoginRole]?: string };
}

/** `set role` guards only against mistakes: `set role none` undoes it. Production has a login for each schema. */
export function connectionOf(
  { databaseUrl, roleUrls }: Logins,
  role: LoginRole,
): { connectionString: string; options: string } {
  const ownUrl = roleUrls[role];
  return ownUrl
    ? { connectionString: ownUrl, options: '' }
    : { connectionString: databaseUrl, options: `-c role=unsaid_${role}` };
}
