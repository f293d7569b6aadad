/** What a mail shows of the brand of its sender. */
export interface MailBrand {
  readonly name: string;
  /** `#rrggbb`. */
  readonly color: string;
  /** The color of text on the main color. */
  readonly textColor: string;
  readonly supportEmail: string;
  readonly supportContact: string;
  readonly address: string;
  readonly logo: { readonly mediaType: string; readonly bytes: Buffer } | undefined;
}
