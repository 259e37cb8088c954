export const failure = {};
