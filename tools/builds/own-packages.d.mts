/** What the packages of this repository export: files by what is imported. */
export declare const ownPackages: () => Readonly<Record<string, string>>;
