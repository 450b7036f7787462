// boardgame.io's own server, in memory, on 127.0.0.1 only: `node server.js MOVES` says its port on stdout.
"use strict";

const { Server } = require("boardgame.io/server");
const counter = require("./counter.js");

const server = Server({ games: [counter(Number(process.argv[2]))], origins: [] });
server
  .run({ port: { host: "127.0.0.1", port: 0 } }) // handed to net.Server.listen as it is: a bare number would bind to all
  .then(({ appServer }) => process.stdout.write(`${appServer.address().port}\n`));
process.stdin.on("end", () => process.exit(0)).resume(); // whoever started us is gone or done
