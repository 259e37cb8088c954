export const hostile = {};
