"""The rulings in short, by id, and the topics under which players ask for them; words only, no rule is decided here."""

from typing import Final

RULINGS: Final[dict[str, str]] = {
    "S1": "The technology board runs from basic spacefaring on the left to level IIII on the right.",
    "S2": "The four level I technologies lie open in random order; the decks of II, III and IIII are shuffled.",
    "S3": "Six events lie on the II slots and six on the III slots: both guild events of the level and four others.",
    "S4": "The four guild spaces begin covered; each guild event uncovers one, at once and for everybody.",
    "S5": "Two A and two B systems are open. Two starting systems come first (one with 2 players), then the decks.",
    "S6": "Four achievements are in play: Transcendence, Empire, one of the A and one of the B cards by lot.",
    "S7": "You begin with 17 supply cubes, 2 population, a ship of level 1 at Sol, 8 discs on each track and 1 or 2 "
    "ore.",
    "S8": "The first player is drawn by lot. Mats are all basic or all advanced; factions are drawn or chosen, the "
    "last in turn order first.",
    "S9": "With 2 players there is a map and a basic box of their own, and the Disciples of the Cosmic Tabernacle "
    "stay out; with 3 the second slot of the A achievement is closed.",
    "A1": "Your pawn moves to a free action space, never the one where it stands, save the last of the basic box.",
    "A2": "Each space of a card is a space of its own. Spaces of a technology need your cube on it; a covered guild "
    "cannot be used.",
    "A3": "Costs are paid in full before the effect. What you cannot pay, or what could do nothing, is not allowed.",
    "A4": "The basic box offers research of levels I and II, a ship and a jump, and growing with mining; going "
    "second costs 1 ore more.",
    "A5": "Should there ever be no action for you, it is skipped.",
    "P1": "Then you produce: population growth, ore, or trade, even if it yields nothing.",
    "P2": "Growth takes a cube from the column of each uncovered letter, where there is one.",
    "P3": "Ore is the sum of the uncovered numbers.",
    "P4": "Trade as often as you like: 3 ore for a population, 1 ore and a ship for a population, a population for "
    "1 ore.",
    "P5": "Cubes leave from the leftmost filled column and return to the rightmost with room; with no room at all, "
    "nothing that would return a cube can be done.",
    "Q1": "At the end of your turn you claim one achievement, if you qualify for any; among several you choose.",
    "Q2": "The leftmost open slot is worth most. Each card can be claimed once by each, and stays claimed.",
    "R1": "You may research a slot without your cube, of the level named, if you hold the technologies joined to it "
    "from the left; of three, two are enough.",
    "R2": "A population cube goes on the slot and stays for ever.",
    "R3": "The event on an undiscovered slot is turned up and carried out first.",
    "R4": "For an undiscovered slot you name a type that your technologies supply; cards are turned up until two "
    "have it, and you choose one. The others go under the deck.",
    "R5": "If only one card of the deck has the type, it is that one; if none has, name a type that the deck still "
    "holds. With an empty deck the slot cannot be researched.",
    "R6": "Everybody who researches a technology gets its IMMEDIATE once, when he does.",
    "R7": "A private technology is yours alone, spaces and abilities too; it scores by its level, leads to nothing, "
    "and its IMMEDIATE is not gained.",
    "J1": "Ships are built at Sol or at a shipyard you control, unless the card names a place; level 4 is the highest.",
    "J2": "A jump has points: each moves one ship along one line. Control is looked at after the last.",
    "J3": "Your power at a place is the sum of your ships' levels. Sol and Deep Space are never controlled.",
    "J4": "Whoever enters a free system controls it; to take one you need strictly more power. A disc of its "
    "specialty marks it and returns when it is lost. Bonuses come at once, also out of turn. The last "
    "achievement discs are kept for the achievements.",
    "J5": "An outpost without ships stays until another fleet comes; of two equal newcomers neither takes it.",
    "C1": "You may colonize a system that you control and where you have at least its power; never a shipyard.",
    "C2": "Ships of at least that power return to your supply; all other ships there go to Deep Space.",
    "C3": "You take the card with its disc, a new card comes, a second disc goes on yours, then you get its bonus.",
    "C4": "A colonized system is no longer controlled, and its discs stay.",
    "U1": "Automating moves the leftmost disc of a track to the automation track; an achievement disc if it is empty.",
    "U2": "In the end the points up to the level reached count; beyond 7 each level is worth 1.",
    "E1": "The end is called by 4 discs on the achievements (3 with 2 or 3 players): this round and one more are "
    "played.",
    "E2": "Points: technologies, automation, colonized systems, outposts, the strongest fleets at Sol and in Deep "
    "Space, events and achievements.",
    "E3": "Ties go to the fewest discs left on the tracks, then the most ore, then achievements, then the later seat.",
    "E4": "Winning scores of 40 to 69 are usual among four people.",
}

TOPICS: Final[dict[str, tuple[str, ...]]] = {
    "": ("A1", "A3", "P1", "Q1", "R1", "J4", "C1", "E1", "E2"),
    "action": ("A1", "A2", "A3", "A4", "A5"),
    "production": ("P1", "P2", "P3", "P4", "P5"),
    "achievements": ("Q1", "Q2"),
    "research": ("R1", "R2", "R3", "R4", "R5", "R6", "R7"),
    "ships": ("J1", "J2", "J3"),
    "control": ("J3", "J4", "J5"),
    "colonize": ("C1", "C2", "C3", "C4"),
    "automation": ("U1", "U2"),
    "start": ("S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8", "S9"),
    "over": ("E1", "E2", "E3", "E4"),
    "score": ("E2", "E3", "U2", "Q2"),
}


def rules(topic: str) -> str:
    """Return the rulings of a topic, or the one with this id, a line each; for an unknown topic, what there is."""
    ids = TOPICS.get(topic.lower()) or (topic.upper(),)
    if ids[0] not in RULINGS:
        return f"There is nothing about {topic!r}. Ask for {', '.join(filter(None, TOPICS))}, or a ruling such as R4."
    return "\n".join(f"{ruling}: {RULINGS[ruling]}" for ruling in ids)
