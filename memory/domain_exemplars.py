"""What people ask about in each domain: short phrases whose vectors, or words, tell which domain a question is in.

Questions route better than the names of topics or statements of preference (84% against 60% and 75% top-1 on PrefEval
with MiniLM), so these are questions. "reply_style" and "identity" are always in the head of the prompt and need no
route; "other" collects small talk and general knowledge, where nothing about the user matters.
"""

from collections.abc import Mapping
from types import MappingProxyType

from memory.preferences import Domain

_QUESTIONS: dict[Domain, str] = {
    "people": """
        what should I write in the card for my mother's birthday; gift for my partner; how do I make up with my sister
        after a fight; plan a party for my kids and their friends; who should I invite to the wedding; how to
        introduce myself to the neighbours; a toast for my best friend; dinner with my in-laws; how do I tell my
        parents the news; my daughter's school play; apologise to a friend; meet new people; what to give a colleague
        who is leaving; talk to my teenage son; ideas for an anniversary; family reunion
    """,
    "schedule": """
        when should we meet next week; plan my day; find a time for the call; remind me tomorrow morning; how do I fit
        a workout and errands into my weekend; put together a daily routine; what time should I set my alarm; block
        time for deep work in my calendar; which day suits for the appointment; move the meeting to another day; how
        much time should I plan for this; my week is full, what can go; a timetable for the project; when is a good
        moment to call
    """,
    "food": """
        what should I cook for dinner tonight; a recipe with pasta; which restaurant should I try; plan meals for the
        week; ideas for a quick healthy breakfast or snack; what dish should I order; a dessert for a birthday; wine
        or cocktail to go with the meal; street food to try in a new city; how do I make a good soup; where can we eat
        out on Friday; groceries for a barbecue; a good place for lunch or brunch nearby; something to bring to a
        potluck; local specialities I must taste; vegetables, meat or fish on the grill; what to put in a sandwich or
        salad; a sauce or dressing; food for a party of ten; what should I bake; coffee, tea or a drink; a café with
        good cake
    """,
    "health": """
        how can I sleep better; what helps against a headache; how do I deal with stress and anxiety; which doctor or
        therapist should I see; home remedies for a cold; improve my posture and back pain; should I take a supplement
        or vitamin; how to quit a bad habit; ways to meditate and calm down; feel less tired during the day; ways to
        relax in the evening; eat and live more healthily; manage pain without medicine; allergies in spring; prevent
        getting ill in winter; check my blood pressure; mental wellbeing
    """,
    "fitness": """
        make me a workout plan; exercises to lose weight or build muscle; how do I train for a marathon; which gym
        class should I take; stretching routine at home; stay in shape without equipment; improve my endurance and
        strength; how often should I work out; burn calories; cardio and heart health; get stronger legs and a flat
        stomach; yoga, swimming or cycling classes; warm up and recover; personal trainer or fitness app; set a
        training schedule
    """,
    "beauty": """
        a skincare routine for dry skin; which shampoo or hair product should I use; makeup for a party; how should I
        cut or colour my hair; a good moisturizer or sunscreen; nail polish and perfume tips; treatment for acne;
        grooming and shaving products; look fresh and well groomed; products for curly hair; anti-ageing serum;
        lipstick, mascara and foundation; hand cream and lip balm; a new look for my face and hair
    """,
    "fashion": """
        what should I wear to the wedding; outfit for a job interview; where do I buy shoes, jackets and clothes;
        build a wardrobe for winter; which handbag, watch or jewellery goes with this; brands for everyday clothing;
        what is in style this season; dress code for the office; a coat and boots for cold weather; how to dress for a
        garden party; shirts, dresses and trousers; comfortable shoes for walking; sustainable clothes; swimwear and
        sportswear; accessories to match a black dress
    """,
    "home": """
        how do I decorate my living room; which sofa, mattress or furniture should I buy; organise a small kitchen;
        plants for the balcony and garden; paint colours for the bedroom; clean the apartment and do the laundry;
        kitchen appliances and cookware; renovate the bathroom; home lighting and curtains; which vacuum cleaner is
        worth it; how do I store things in the kitchen; get rid of stains and limescale; make the balcony cosy;
        shelves and a desk for the study; something for the empty wall; beds and bedding; fix a dripping tap; a smart
        way to keep floors clean; containers and utensils
    """,
    "shopping": """
        where can I find a good deal; which brand should I buy; is it worth the price; buy it online or in a store;
        compare these products; a present under fifty euros; should I buy second-hand; return policy and warranty; is
        this offer any good; where do I order a spare part; what should I look for when buying one; which shop has it;
        the cheapest way to get one; sales on Black Friday; should I get the expensive one
    """,
    "vehicles": """
        which car should I buy next; electric or petrol car; a family SUV with good mileage; a motorcycle for a
        beginner; car accessories and tyres; lease, rent or buy a vehicle; a bicycle for commuting; maintenance for my
        truck; a hatchback, sedan or estate; hybrid cars and their range; the safest car for children; which model
        holds its value; a car for long trips; parking sensors and car gadgets; scooter or moped for the city
    """,
    "technology": """
        which laptop should I buy; a new phone with a good camera; headphones, smartwatch or tablet; set up a smart
        home; which apps and software should I use; monitor and keyboard for my desk; back up my photos in the cloud;
        which streaming device or TV; privacy settings and passwords; fix my wifi; which tablet or e-reader; wireless
        earbuds or speakers; photo and video editing software; an app to take notes; a router and better internet; a
        printer for the home office; smart lights and heating control; gaming PC parts; a gadget as a present; what to
        look for in a camera
    """,
    "programming": """
        write a function that sorts a list; how do I fix this bug in my code; which framework for a web app; review
        this pull request; set up a test suite; write a script to rename files; explain this error message and stack
        trace; design a database schema and an API; refactor this class; a regex that matches dates; use the command
        line and shell; build a server with Python or Go; JavaScript, Java, Rust or C++ code; how do I parse JSON and
        log files; deploy with Docker; unit tests for this module; which algorithm and data structure; git branches
        and commits; write a small program; model this with classes or functions
    """,
    "work": """
        how do I ask for a raise; which job should I apply for; prepare for an interview; companies and cities with
        good career opportunities; how do I handle a difficult colleague or manager; work from home or at the office;
        be more productive at work; how to run a team project; should I relocate for a new position; write my CV; how
        do I lead and motivate my team; set up our office; which employers pay well; where are jobs in my field;
        change careers; report to my boss; deal with deadlines; internship or graduate job; networking events and
        conferences; freelance or permanent; business ideas for a start-up
    """,
    "learning": """
        how should I study for the exam; a course to learn a new skill; how do I learn Spanish; resources to learn
        about statistics; explain photosynthesis to me; a study plan for the semester; books or videos to understand
        physics; which university programme or class; how to take notes and remember things; tutorials for beginners;
        get into machine learning or programming; memorise vocabulary and terms; pick up the basics of drawing;
        workshops and certificates; help with homework in maths; improve my writing or public speaking skills; which
        language app; prepare for the final exam in three weeks; understand how engines work; podcasts and lectures on
        philosophy
    """,
    "writing": """
        write an email to a customer; draft a cover letter; improve this paragraph; a short story or poem; summarise
        this text; write a blog post; proofread my essay; a speech for a conference; polish this text; a thank-you
        note; a caption for a photo; translate this letter; product description for the website; a newsletter; rewrite
        it more politely; headline and slogan
    """,
    "games": """
        which video game should I play next; a board game for four people; a game for my console or PC; multiplayer
        games to play online with friends; role-playing games with a good story; mobile games to pass the time; puzzle
        or strategy game; games like Zelda; something fun for game night; a title for my Switch or PlayStation; what
        is new in gaming; single-player adventure; cards, dice and party games; free games without ads; a game to play
        with my brother; indie games this year
    """,
    "music": """
        what should I listen to; a playlist for a road trip; albums and artists like this band; concert or festival to
        go to; learn an instrument; songs for a party; background music for working; new releases this month; make a
        list of songs for the gym; live music and bands this autumn; classical, jazz, rock or pop records; a singer I
        might like; discover new music; which podcast or radio station; tickets for an opera or musical; soundtrack
        for a dinner
    """,
    "books": """
        what should I read next; a novel for the beach; authors to try; a book about history; audiobooks for a long
        drive; a book club pick; fantasy or crime series; non-fiction bestsellers; titles for my reading list; a
        bestseller from this year; something to read on holiday; poetry or short stories; a biography to give as a
        present; science fiction classics; a book that helps with habits; comics and graphic novels
    """,
    "screen": """
        what should I watch tonight; a movie for the weekend; a series to binge; documentaries worth seeing; a film
        for family night; shows on a streaming service; comedies, thrillers or anime; what is playing in the cinema;
        something gripping for Friday night; prize-winning international films; a scary movie for Halloween; what is
        everyone watching; cartoons for children; reality and talent shows; a director whose films I should see; catch
        the latest popular show
    """,
    "sports": """
        which match should I watch; a sport to take up; sports events in the city this weekend; tickets for the game;
        who won the league; outdoor activities like climbing, skiing or surfing; join a team or a club; sports gear to
        start with; a new active hobby; what can I try at the club; football, basketball or tennis; where to go
        hiking, sailing or riding; watch the World Cup or Olympics; an adventurous outdoor day; learn to swim or ski;
        a racket, ball or board to buy
    """,
    "pets": """
        which dog breed should I get; a pet for a small apartment; food and toys for my cat; how do I train my puppy;
        find a vet or pet sitter; an aquarium for beginners; what pet is easy to care for; adopt an animal from a
        shelter; my dog barks at visitors; which kibble or treats; toys and cages for a hamster or bird; take my cat
        on a trip; a companion animal for my child; grooming and walking the dog; a reptile or fish as a pet; my
        kitten scratches the furniture
    """,
    "travel": """
        where should I go on holiday; what to do in Rome for three days; plan an itinerary for Japan; sights and
        activities in the city; a weekend trip with friends; beaches, mountains or cities to visit; tours and museums;
        what should I pack for the trip; adventures and nightlife abroad; a honeymoon destination; the highlights of
        Venice; what should I see and do there; how would you spend a week in Scotland; places to visit in August; a
        family vacation by the sea; explore villages in the countryside; cultural festivals and historic sites; a city
        break for two days; camping and hiking trips; must-see attractions; off the beaten track in Asia; a road trip
        along the coast
    """,
    "lodging": """
        which hotel should I book; where to stay in Paris; a place to stay near the beach; an apartment or resort for
        a week; a room with a view; accommodation for a family of four; bed and breakfast in the country; hotels with
        a pool and a gym; find somewhere central for four nights; something cheap to sleep in Amsterdam; rent a flat
        or holiday home for ten days; hostel, inn or guest house; which stay would you book; a quiet and comfortable
        hotel downtown; a romantic hotel for a weekend; check-in, breakfast and room service
    """,
    "transport": """
        how do I get from the airport to the centre; which flight should I take; train or plane to Berlin; rent a car
        for the trip; which seat should I book; best way to get around the city; public transport passes; a ferry or
        bus to the island; how should I commute; the easiest route to Milan; get back to the hotel late at night; book
        me on a plane to London; reach the islands; taxi, metro or walking; travel between the two cities; business
        class or economy; airlines for a long-haul flight; drive abroad; cross the country by train
    """,
    "money": """
        how should I invest my savings; make a monthly budget; which bank account or credit card; pay off debt; save
        for retirement; insurance and taxes; can I afford a house; cut my expenses; what should I do with my bonus;
        finance a new roof; stocks, funds or a savings account; loan or mortgage; how do I spend less; a pension plan;
        send money abroad; split costs with friends
    """,
    "other": """
        thank you very much; hi, how are you; who are you and what can you do; say it once more; yes, go on; never
        mind; what is the capital of Australia; when did the second world war end; who invented the telephone; who was
        president at that time; how many people live in India; how old is the universe; what does this word mean;
        another word for fast; translate a sentence into French; how do you spell it; convert inches to centimetres;
        what is seventeen times twelve; solve this equation; what is the chemical formula of salt; why is grass green;
        how does a volcano erupt; what is gravity; difference between a virus and a bacterium; tell me a riddle or a
        joke; what date is it today; what is the weather like; is that true or false; which country is the largest;
        what does this abbreviation stand for
    """,
}

EXEMPLARS: Mapping[Domain, tuple[str, ...]] = MappingProxyType(
    {
        domain: tuple(" ".join(question.split()) for question in questions.split(";"))
        for domain, questions in _QUESTIONS.items()
    }
)
