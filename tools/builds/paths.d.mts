/** The checkout that this file is part of. */
export declare const ROOT: string;
