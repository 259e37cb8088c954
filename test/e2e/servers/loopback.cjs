// Makes a server that says no address listen on the loopback interface alone:
// node --require loopback.cjs server.js
const { Server } = require("node:net");

const listen = Server.prototype.listen;
Server.prototype.listen = function (port, ...rest) {
  return typeof port === "object" || typeof rest[0] === "string"
    ? listen.call(this, port, ...rest)
    : listen.call(this, port, "127.0.0.1", ...rest);
};
