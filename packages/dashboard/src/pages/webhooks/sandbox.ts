/** The path parameters of an operation that only sandboxes have. */
export const toSandbox = (path: { readonly org_id: string; readonly team_id: string }) => ({
  org_id: path.org_id,
  team_id: path.team_id,
  environment: 'sandbox' as const,
});
