import type { TargetScope } from '../../platform/public-address.ts';

/** The image cannot be fetched. The message names neither an address nor anything of the response. */
export class ImageFetchError extends Error {
  /** Whether another attempt can succeed without a change of the setting. */
  readonly isTemporary: boolean;

  constructor(message: string, isTemporary: boolean) {
    super(message);
    this.isTemporary = isTemporary;
  }
}

export interface ImageFetchRules {
  /** Which addresses may be connected to. */
  readonly scope: TargetScope;
  readonly requiresHttps: boolean;
  readonly bytesMax: number;
}

/** Fetches images that teams name by their URLs. */
export interface ImageSource {
  /** The bytes, of whatever type they are. Throws an ImageFetchError. */
  fetch(url: string, rules: ImageFetchRules): Promise<Buffer>;
}
