// A game as it is stepped through, and its automatic replay.
import { follow, mover, parsePosition } from "./board.js";

const emptyBoard = "000000/000000/000000/000000/000000/000000 s";

// Replay is a game after some plies, and some doors of the next one: the squares that its piece passes.
export class Replay {
  game = null;
  positions = []; // one more than moves
  moves = [];
  numbers = []; // of the moves' plies
  ply = 0; // moves made
  door = 0; // steps made of the next move

  open(game) {
    const start = parsePosition(game.opening || emptyBoard);
    const plies = follow(start, game.opening ? game.moves : []);
    this.game = game;
    this.positions = [start, ...plies.map((p) => p.position)];
    this.moves = plies.map((p) => p.move);
    this.numbers = plies.map((p) => p.ply);
    this.go(0);
  }

  go(ply) {
    this.ply = Math.max(0, Math.min(ply, this.moves.length));
    this.door = 0;
  }

  back() {
    this.go(this.door ? this.ply : this.ply - 1);
  }

  // doorNext goes through one door.
  doorNext() {
    if (this.isAtEnd) return;
    const last = this.moves[this.ply].steps.length - 1;
    if (this.door < last) this.door++;
    else this.go(this.ply + 1);
  }

  // doorBack goes back through one door.
  doorBack() {
    if (this.door > 0) this.door--;
    else if (this.ply > 0) {
      this.ply--;
      this.door = Math.max(0, this.moves[this.ply].steps.length - 1);
    }
  }

  get isAtEnd() {
    return this.ply === this.moves.length;
  }

  // index is the move that is shown, whole or in part; -1 at the beginning.
  get index() {
    return this.door ? this.ply : this.ply - 1;
  }

  // scene is what the board shows.
  get scene() {
    const i = this.index,
      move = this.moves[i];
    return { position: this.positions[i + 1], move, before: move && this.positions[i], door: this.door || undefined };
  }

  // side is the side that makes a move: 0 is South.
  side(i) {
    return mover(this.positions[i], this.moves[i]);
  }
}

// createPlayer returns what replays a game by itself: toggle starts it and stops it. step goes on, and changed is called
// when it has started or stopped.
export function createPlayer(replay, step, changed) {
  const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const player = { isPlaying: false, toggle, pause };
  let timer = 0;

  function tick() {
    step(reducedMotion);
    if (replay.isAtEnd) return pause();
    timer = setTimeout(tick, reducedMotion ? 1200 : replay.door ? 160 : 650);
  }
  function pause() {
    clearTimeout(timer);
    player.isPlaying = false;
    changed();
  }
  function toggle() {
    if (player.isPlaying) return pause();
    timer = setTimeout(tick, 150);
    player.isPlaying = true;
    changed();
  }
  return player;
}
