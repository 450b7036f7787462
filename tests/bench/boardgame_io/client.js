// One seat: `node client.js MOVES PORT SEAT` says "ready", waits for a line, plays, and says when each move settled.
//
// A turn changes here only when the server says so (a client's own guess at its move does not end its turn), so these
// are the times, in ms, at which this seat knew of each move. It moves in the very callback that tells it of its turn.
"use strict";

const { performance } = require("node:perf_hooks");
const { Client } = require("boardgame.io/client");
const { SocketIO } = require("boardgame.io/multiplayer");
const counter = require("./counter.js");

const [moves, port, seat] = process.argv.slice(2);
const client = Client({
  game: counter(Number(moves)),
  numPlayers: 4,
  playerID: seat,
  matchID: "bench",
  debug: false,
  multiplayer: SocketIO({ server: `http://127.0.0.1:${port}`, socketOpts: { transports: ["websocket"] } }),
});
const times = [];
let seen = 1; // the turn last seen: the first is 1
let moved = 0; // the turn in which we moved last
let ready = false;
let started = false;

function look() {
  const state = client.getState();
  if (state === null || !state.isConnected) return;
  if (!ready) {
    ready = true;
    process.stdout.write("ready\n");
  }
  const { turn, currentPlayer, gameover } = state.ctx;
  if (turn > seen || gameover) {
    seen = turn;
    times.push(performance.now());
  }
  if (gameover) {
    process.stdout.write(`${JSON.stringify(times)}\n`, () => process.exit(0));
  } else if (started && currentPlayer === seat && moved < turn) {
    moved = turn;
    client.moves.add();
  }
}

client.subscribe(look);
client.start();
process.stdin.once("data", () => {
  started = true;
  look();
});
process.stdin.on("end", () => process.exit(1)); // whoever started us is gone
setTimeout(() => process.exit(1), 120_000).unref(); // unref: waiting for it keeps nobody
