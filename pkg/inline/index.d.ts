/** The module, deflated and as base64. */
declare const module: string;
export default module;
/** The module's size in bytes, once inflated. */
export const size: number;
