/** How the database is reached: a login for each schema, or the owner's connection with the schema's role taken. */

/** Also the names of the schemas; the roles that hold their rights are `unsaid_identity` and so on. */
export const loginRoles = ['identity', 'content', 'matching', 'jobs'] as const;
export type LoginRole = (typeof loginRoles)[number];

export interface Logins {
  readonly databaseUrl: string;
  readonly roleUrls: { readonly [R in LoginRole]?: string };
}

/** Taking the role guards against mistakes alone: `set role none` undoes it. Production has a login for each. */
export function connectionOf(
  { databaseUrl, roleUrls }: Logins,
  role: LoginRole,
): { connectionString: string; options: string } {
  const ownUrl = roleUrls[role];
  return ownUrl
    ? { connectionString: ownUrl, options: '' }
    : { connectionString: databaseUrl, options: `-c role=unsaid_${role}` };
}
