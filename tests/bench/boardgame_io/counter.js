// The game of both sides of this bench: whoever's turn it is adds one to a counter, until so many moves are made.
"use strict";

module.exports = (moves) => ({
  name: "counter",
  setup: () => ({ counter: 0 }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    add: ({ G }) => {
      G.counter += 1;
    },
  },
  endIf: ({ G }) => (G.counter === moves ? { over: true } : undefined),
  disableUndo: true, // keeps less: in boardgame.io's favour
});
